import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import type { Round } from "../compare.ts";
import { openHttpConnection } from "../http-connection.ts";
import type { Result } from "../report.ts";
import { spreadOf } from "../statistics.ts";

/** Either way of telling the two apart would tell a stranger something; what two unknown ids differ by is shown. */
const TARGET = 1.05;
/** Answers of each side in a round; their median counts. */
const AT_ONCE = 20;
/** Rounds before the first that counts: V8 compiles what is hot. */
const WARM_UP = 10;

/** What a stranger may try with an id, by its name in the table. */
const TRIED: Readonly<Record<string, (id: string) => string>> = {
  "its fields": (id) => `/api/catalogues/${id}`,
  "a page of events": (id) => `/api/catalogues/${id}/events?pagination=cursor&limit=50`,
  "an export": (id) => `/api/catalogues/${id}/export?format=csv`,
  "its versions": (id) => `/api/catalogues/${id}/versions`,
  "the record of a version": (id) => `/api/catalogues/${id}/versions/1`,
  "a query of the event service": (id) => `/api/catalogues/${id}/fdsnws/event/1/query?format=text`,
  "items of OGC API": (id) => `/api/ogc/collections/${id}/items`,
  "its feed": (id) => `/api/catalogues/${id}/feed`,
  "the feed of several": (id) => `/api/feed?catalogue=${id}`,
};
const FIRST = "its fields";

/**
 * Whether the time of a 404 tells a stranger a restricted catalogue from an id that nobody has, beside what two
 * ids that nobody has differ by.
 * @param token of somebody who is not a member
 */
export async function benchRefusals(
  url: string,
  token: string,
  restricted: string,
  rounds: number,
): Promise<Result[]> {
  const connection = openHttpConnection(url);
  const headers = { authorization: `Bearer ${token}` };
  const milliseconds = async (path: string): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < AT_ONCE; i += 1) {
      const started = performance.now();
      assert.equal((await connection.ask("GET", path, headers)).status, 404, path);
      times.push(performance.now() - started);
    }
    return spreadOf(times).median;
  };
  const results: Result[] = [];
  const add = async (name: string, size: string, id: string): Promise<void> => {
    const path = TRIED[name] ?? assert.fail(name);
    const [ours, yardstick] = [path(id), path(randomUUID())];
    const figures: Round[] = [];
    for (let i = -WARM_UP; i < rounds; i += 1) {
      // The side that begins changes from round to round.
      const first = await milliseconds(i % 2 === 0 ? ours : yardstick);
      const second = await milliseconds(i % 2 === 0 ? yardstick : ours);
      if (i >= 0) figures.push(i % 2 === 0 ? [first, second] : [second, first]);
    }
    results.push(resultOf(name, size, figures));
  };
  await add(FIRST, "another id that nobody has", randomUUID());
  for (const name of Object.keys(TRIED)) await add(name, "a restricted id", restricted);
  connection.close();
  return results;
}

function resultOf(name: string, size: string, rounds: readonly Round[]): Result {
  const ours = spreadOf(rounds.map(([time]) => time));
  const yardstickFigure = spreadOf(rounds.map(([, time]) => time));
  const quotient = ours.median / yardstickFigure.median;
  return {
    case: `404 to a stranger: ${name}`,
    size,
    unit: "ms",
    ours,
    yardstick: "an id that nobody has",
    yardstickFigure,
    ratio: Math.max(quotient, 1 / quotient),
    target: TARGET,
  };
}
