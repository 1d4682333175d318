import { strict as assert } from "node:assert";
import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { BenchService } from "../bench-service.ts";
import { compare, type Round } from "../compare.ts";
import { openAsking } from "../reading/ask.ts";
import { timesFrom } from "../reading/filter-kinds.ts";
import { load } from "../reading/load.ts";
import type { LoadTask } from "../reading/load-thread.ts";
import type { Result } from "../report.ts";
import { startUrlProcess } from "../url-process.ts";

const EVENTS = 10_000;
/** Of the rate of stored fragments at least 1.05. */
const TARGET = 1 / 1.05;
const CLIENTS = [1, 16];
const ANSWERS_OF_ONE = 10;
const MAIN = new URL("../reading/stored-fragments-main.ts", import.meta.url);
const TABLE = "bench_fragments";

/**
 * 10,000 events of a large catalogue as QuakeML of the event service, against a service that keeps the
 * same XML by event and sends it as it lies: seconds of so many answers.
 */
export async function benchWholeAnswers(
  { url, token, client, database, databaseUrl, shared }: BenchService,
  events: number,
  rounds: number,
): Promise<Result[]> {
  const { id, key } = await shared.of(events);
  const base = `/api/catalogues/${id}/fdsnws/event/1/query`;
  const all = await client.stream(base);
  await keepFragments(database, all.body ?? new ReadableStream());
  const stored = await startUrlProcess(MAIN, [databaseUrl, TABLE]);
  try {
    const query = await middle(database, key, Math.min(EVENTS, events / 2));
    const ours = {
      url,
      paths: [`${base}?${query}`],
      headers: { authorization: `Bearer ${token}` },
    };
    const theirs = { url: stored.url, paths: [`/query?${query}`], headers: {} };
    assert.deepEqual(await eventsOf(ours, token), await eventsOf(theirs));
    const results: Result[] = [];
    for (const clients of CLIENTS) {
      const requests = ANSWERS_OF_ONE * clients;
      const seconds = async (asked: typeof ours | typeof theirs): Promise<number> =>
        (await load({ ...asked, clients, requests })).elapsedMs / 1_000;
      const measure = async (): Promise<Round> => [await seconds(ours), await seconds(theirs)];
      results.push({
        case: `whole answers, xml, c=${clients}`,
        size: `${requests} answers of ${EVENTS} of ${events} events`,
        unit: "s",
        yardstick: "stored fragments",
        ...(await compare(rounds, measure)),
        target: TARGET,
      });
    }
    return results;
  } finally {
    await stored.close();
    await database.query(`drop table ${TABLE}`);
  }
}

/** The events of QuakeML that has each in a line of its own, in order of time as such services get them. */
async function keepFragments(database: Client, xml: AsyncIterable<Uint8Array>): Promise<void> {
  await database.query(`create table ${TABLE} (time timestamptz, fragment text)`);
  const copy = database.query(copyFrom(`copy ${TABLE} from stdin`));
  await pipeline(xml, copiedLines, copy);
  await database.query(`create index on ${TABLE} (time)`);
  await database.query(`vacuum (analyze) ${TABLE}`);
}

async function* copiedLines(xml: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const piece of xml) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield lines
      .filter((line) => line.startsWith("<event "))
      .map(copiedLine)
      .join("");
  }
}

function copiedLine(event: string): string {
  const [, time] = /<time><value>([^<]*)/.exec(event) ?? [];
  return `${time}\t${event.replaceAll("\\", "\\\\")}\\n\n`;
}

/** The parameters for so many events in the middle of a catalogue's years. */
async function middle(database: Client, key: number, count: number): Promise<string> {
  const { startTime, endTime } = await timesFrom(database, key, { from: "2017-01-01", count });
  return `starttime=${startTime}&endtime=${endTime}`;
}

async function eventsOf(
  { url, paths: [path = ""] }: Pick<LoadTask, "url" | "paths">,
  token?: string,
): Promise<string[]> {
  const asking = openAsking(url, token);
  try {
    const { body } = await asking.ask(path);
    const events = body
      .toString()
      .split("\n")
      .filter((line) => line.startsWith("<event "));
    assert.ok(events.length > 0);
    // Those of one time are in any order.
    return events.toSorted();
  } finally {
    asking.close();
  }
}
