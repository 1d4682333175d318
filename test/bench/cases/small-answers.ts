import { strict as assert } from "node:assert";
import type { BenchService } from "../../support/bench-service.ts";
import { load, rateOf } from "../asking.ts";
import { placesOf, QUESTIONS, type Question } from "../large.ts";
import { compare, type Result } from "../measure.ts";
import { startBareEventService } from "../yardsticks.ts";

/** Of the rate of the bare service, and requests in one round by one client. */
const QUESTIONED = {
  newest: { target: 0.7, requests: 400 },
  circle: { target: 0.85, requests: 100 },
  narrow: { target: 1, requests: 200 },
} as const satisfies Record<Question, object>;
const CLIENTS = [1, 16] as const;
const TABLE = "bare.events";

/** Small answers of the event service as text, for somebody who is signed in, against the least event service. */
export async function benchSmallAnswers(
  bench: BenchService,
  events: number,
  rounds: number,
): Promise<Result[]> {
  const { url, token, database, databaseUrl, shared } = bench;
  const { id, key } = await shared.of(events);
  await fillBareTable(bench, key);
  const bare = await startBareEventService(databaseUrl, TABLE);
  const places = await placesOf(database, id);
  const base = `/api/catalogues/${id}/fdsnws/event/1/query?format=text`;
  const results: Result[] = [];
  for (const [question, { target, requests }] of Object.entries(QUESTIONED)) {
    const queries = places.map(QUESTIONS[question as Question]);
    const ours = {
      url,
      paths: queries.map((query) => `${base}&${query}`),
      headers: { authorization: `Bearer ${token}` },
    };
    const yardstick = {
      url: bare.url,
      paths: queries.map((query) => `/query?${query}`),
      headers: {},
    };
    for (const i of queries.keys())
      assert.deepEqual(await timesOf(ours, i), await timesOf(yardstick, i));
    for (const clients of CLIENTS) {
      const task = { clients, requests: clients === 1 ? requests : 2 * requests };
      const rates = await compare(rounds, async () => [
        rateOf(await load({ ...ours, ...task })),
        rateOf(await load({ ...yardstick, ...task })),
      ]);
      results.push({
        case: `event service, ${question}, ${clients === 1 ? "one client" : `${clients} clients`}`,
        size: `${events} events`,
        unit: "/s",
        yardstick: "bare event service",
        ...rates,
        // Of rates the greater is the better.
        ratio: 1 / rates.ratio,
        target: 1 / target,
      });
    }
  }
  await bare.close();
  await database.query("drop schema bare cascade");
  return results;
}

async function fillBareTable({ database }: BenchService, key: number): Promise<void> {
  await database.query("create schema bare");
  await database.query(
    `create table ${TABLE} as select event_id as id, time, latitude, longitude, depth, magnitude_type as type,
       magnitude, region from read_model.seismic_events where catalogue_key = ${key}`,
  );
  await database.query(`create index on ${TABLE} (time)`);
  await database.query(`create index on ${TABLE} (latitude, longitude, magnitude)`);
  await database.query(`vacuum (analyze) ${TABLE}`);
}

type Side = { url: string; paths: readonly string[]; headers: Record<string, string> };

/** The origin times of an answer, by which both sides have the same events. */
async function timesOf({ url, paths, headers }: Side, i: number): Promise<(string | undefined)[]> {
  const text = await (await fetch(new URL(paths[i] ?? "", url), { headers })).text();
  const lines = text.split("\n").slice(1, -1);
  return lines.map((line) => line.split("|")[1]?.slice(0, 19));
}
