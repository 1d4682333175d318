import { setImmediate } from "node:timers/promises";
import type { ApiClient } from "../../support/api-client.ts";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import { type Result, within } from "../report.ts";
import { secondsOf, spreadOf } from "../statistics.ts";

/** What a catalogue is filled with: as many half a million as fill ten of them at 10,000,000. */
export const BODIES = 20;
/** Creating, until visible. */
const CREATED_PER_SECOND = 20_000;
/** Adding must be at least 0.9 as fast as creating. */
const ADDING_TARGET = 1 / 0.9;
const LATER = { sixth: 6, twelfth: 12, twentieth: 20 } as const;

export type Filled = {
  readonly id: string;
  readonly events: number;
  /** Of each body, until it was visible. */
  readonly seconds: readonly number[];
};

/** A catalogue of so many bodies, the events of each in random order of time. */
export async function fill(
  client: ApiClient,
  name: string,
  bodies: number,
  perBody: number,
): Promise<Filled> {
  const seconds: number[] = [];
  let id = "";
  for (let body = 1; body <= bodies; body += 1) {
    const text = catalogueBody(name, body, perBody);
    const bytes = Buffer.from(text.replaceAll('"source_id":"', `"source_id":"${body}-`));
    // Connections that ended while this thread was busy are noticed first.
    await setImmediate();
    const path = id === "" ? "/api/catalogues" : `/api/catalogues/${id}/events`;
    let answer = { status: 0, body: { id: "" } };
    seconds.push(
      await secondsOf(async () => {
        answer = await client.send<{ id: string }>("POST", path, bytes);
      }),
    );
    if (answer.status >= 300) throw new Error(`adding answered ${answer.status}`);
    if (body === 1) ({ id } = answer.body);
  }
  return { id, events: bodies * perBody, seconds };
}

/** Creating with the first body, and what later ones take of it. */
export function addingOf({ events, seconds }: Filled): Result[] {
  const [first = Number.NaN] = seconds;
  const perBody = events / seconds.length;
  const common = { size: `${events} events`, unit: "s" } as const;
  return [
    {
      case: `creating with the first ${perBody}`,
      ...common,
      ...within(perBody / CREATED_PER_SECOND, [first]),
    },
    ...Object.entries(LATER).map(([name, place]) => {
      const ours = seconds[place - 1] ?? Number.NaN;
      return {
        case: `adding the ${name} ${perBody}`,
        ...common,
        ours: spreadOf([ours]),
        yardstick: "the first, by creating",
        yardstickFigure: spreadOf([first]),
        ratio: ours / first,
        target: ADDING_TARGET,
      };
    }),
  ];
}
