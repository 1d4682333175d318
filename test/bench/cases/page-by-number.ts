import { strict as assert } from "node:assert";
import type { BenchService } from "../bench-service.ts";
import { openAsking } from "../reading/ask.ts";
import { type Result, within } from "../report.ts";

const PAGE = 50;
const LIMIT_MS = 10;
const FIRST_LIMIT_MS = 50;
/** Where the pages lie, as parts of the way from the newest event to the oldest. */
const PLACES = [0.01, 0.25, 0.5, 0.75, 1];

type Answer = { readonly events: readonly { readonly id: string }[] };

/**
 * Pages of 50 by number, wherever they lie: when each is first asked for, and from then on, in turn with the
 * others.
 */
export async function benchPageByNumber(
  { url, token, database, shared }: BenchService,
  events: number,
  repetitions: number,
): Promise<Result[]> {
  const { id, key } = await shared.of(events);
  const asking = openAsking(url, token);
  const pages = PLACES.map((place) => ({
    page: Math.round((place * events) / PAGE),
    times: [] as number[],
  }));
  for (let i = 0; i <= repetitions; i += 1) {
    for (const { page, times } of pages) {
      const path = `/api/catalogues/${id}/events?page=${page}&pageSize=${PAGE}`;
      const { body, milliseconds } = await asking.ask(path);
      times.push(milliseconds);
      if (i > 0) continue;
      const answer: Answer = JSON.parse(body.toString());
      assert.deepEqual(
        answer.events.map((event) => event.id),
        await idsOf(page),
      );
    }
  }
  asking.close();

  async function idsOf(page: number): Promise<string[]> {
    const { rows } = await database.query<{ event_id: string }>(
      `select event_id from read_model.seismic_events where catalogue_key = $1
       order by time desc, event_id desc limit ${PAGE} offset $2`,
      [key, (page - 1) * PAGE],
    );
    return rows.map((row) => row.event_id);
  }

  const common = { size: `${events} events`, unit: "ms" };
  return pages.flatMap(({ page, times: [first = Number.NaN, ...later] }) => [
    {
      ...common,
      case: `page ${page} by number, for the first time`,
      ...within(FIRST_LIMIT_MS, [first]),
    },
    { ...common, case: `page ${page} by number`, ...within(LIMIT_MS, later) },
  ]);
}
