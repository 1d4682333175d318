import { strict as assert } from "node:assert";
import { setImmediate, setTimeout as wait } from "node:timers/promises";
import { catalogueBody, generateEvents } from "../../support/generate-catalogue.ts";
import { exportAll } from "../bench-export.ts";
import type { BenchService } from "../bench-service.ts";
import { comparisonOf } from "../compare.ts";
import { memoryOf } from "../peak-memory.ts";
import { type Result, within } from "../report.ts";
import { type Spread, secondsOf, spreadOf } from "../statistics.ts";
import { create, remove } from "./merge.ts";

const PER_BODY = 500_000;
const WARM_UP = 50_000;
/** Of the last bodies the median is taken. */
const LAST = 3;
/** Adding must be at least 0.8 as fast as creating. */
const ADDING_TARGET = 1 / 0.8;
/** As fast before as after an ANALYZE by hand. */
const FRESH_TARGET = 1.25;
/** Events of a large catalogue may take no longer each to be exported than those of its first body. */
const EXPORT_TARGET = 1.25;
const PAGE_MS = 10;
const PAGES = 20;
const MEMORY_MIB = 400;
const MINUTE = 60_000;
const NARROW_ROUNDS = 5;
const NARROW_TIMES = 40;
/** A month, one degree, magnitude 3 and more. */
const NARROW =
  "startTime=2018-03-01T00:00:00Z&endTime=2018-04-01T00:00:00Z&minMagnitude=3" +
  "&minLatitude=-42&maxLatitude=-41&minLongitude=172&maxLongitude=173";

/**
 * What grows with a catalogue that is filled by half a million events at a time, which come in random
 * order of time.
 */
export async function benchGrowth(bench: BenchService, events: number): Promise<Result[]> {
  const { client } = bench;
  await remove(client, await create(client, [...generateEvents(1, WARM_UP)]));
  const { id, seconds, exportSeconds } = await fill(bench, events);
  const size = `${events} events`;
  return [
    adding(seconds, size),
    await freshStatistics(bench, id, size),
    await memoryAfter(bench, size),
    await exporting(bench, id, events, exportSeconds),
    ...(await pagesByNumber(bench, id, events)),
  ];
}

/** The seconds of each body until it is visible, and those of an export of the first one. */
async function fill({ client }: BenchService, events: number) {
  const seconds: number[] = [];
  let id = "";
  let exportSeconds = 0;
  for (let body = 1; body <= events / PER_BODY; body += 1) {
    const bytes = bodyOf(body);
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
    if (body > 1) continue;
    id = answer.body.id;
    exportSeconds = await secondsOf(() => exportAll(client, id, "csv", PER_BODY));
  }
  return { id, seconds, exportSeconds };
}

function bodyOf(seed: number): Buffer {
  const body = catalogueBody("growth", seed, PER_BODY);
  return Buffer.from(body.replaceAll('"source_id":"', `"source_id":"${seed}-`));
}

function adding(seconds: readonly number[], size: string): Result {
  const [first = Number.NaN] = seconds;
  const last = seconds.slice(1).slice(-LAST);
  return {
    case: `adding ${PER_BODY} events, the last`,
    size,
    unit: "s",
    yardstick: "the first, by creating",
    ...comparisonOf(last.map((each) => [each, first])),
    target: ADDING_TARGET,
  };
}

async function freshStatistics(
  { client, database }: BenchService,
  id: string,
  size: string,
): Promise<Result> {
  const narrow = async (): Promise<void> => {
    for (let i = 0; i < NARROW_TIMES; i += 1) {
      const { status } = await client.get(`/api/catalogues/${id}/events/filtered?${NARROW}`);
      assert.equal(status, 200);
    }
  };
  const each = async (): Promise<number> => ((await secondsOf(narrow)) * 1_000) / NARROW_TIMES;
  const rounds = async (): Promise<Spread> => {
    await narrow();
    const figures: number[] = [];
    while (figures.length < NARROW_ROUNDS) figures.push(await each());
    return spreadOf(figures);
  };
  const before = await rounds();
  await database.query("analyze read_model.seismic_events");
  const after = await rounds();
  return {
    case: "narrow query as soon as all is visible",
    size,
    unit: "ms",
    yardstick: "after an ANALYZE by hand",
    ours: before,
    yardstickFigure: after,
    ratio: before.median / after.median,
    target: FRESH_TARGET,
  };
}

async function memoryAfter({ pid }: BenchService, size: string): Promise<Result> {
  await wait(MINUTE);
  const resident = await memoryOf(pid);
  const figures = within(MEMORY_MIB, [resident]);
  return { case: "memory a minute after the last body", size, unit: "MiB", ...figures };
}

async function exporting(
  { client }: BenchService,
  id: string,
  events: number,
  firstSeconds: number,
): Promise<Result> {
  const micros = (seconds: number, count: number) => (seconds * 1e6) / count;
  const ours = micros(await secondsOf(() => exportAll(client, id, "csv", events)), events);
  const first = micros(firstSeconds, PER_BODY);
  return {
    case: "export as csv, per event",
    size: `${events} events`,
    unit: "µs",
    yardstick: `the first ${PER_BODY}`,
    ours: spreadOf([ours]),
    yardstickFigure: spreadOf([first]),
    ratio: ours / first,
    target: EXPORT_TARGET,
  };
}

/** Pages of 50 after the first that lies so far behind. */
async function pagesByNumber(
  { client }: BenchService,
  id: string,
  events: number,
): Promise<Result[]> {
  const pageCount = events / 50;
  const ask = (page: number) =>
    secondsOf(async () => {
      const { status } = await client.get(`/api/catalogues/${id}/events?pageSize=50&page=${page}`);
      assert.equal(status, 200);
    });
  const first = 1_000 * (await ask(Math.floor(pageCount / 2)));
  const figures: number[] = [];
  for (let i = 1; i <= PAGES; i += 1) {
    figures.push(1_000 * (await ask(Math.floor((pageCount * i) / (PAGES + 1)))));
  }
  const common = { size: `${events} events`, unit: "ms" } as const;
  return [
    { case: "pages of 50 by number anywhere", ...common, ...within(PAGE_MS, figures) },
    {
      case: "the first of them, which makes the positions",
      ...common,
      ...within(PAGE_MS, [first]),
      target: null,
    },
  ];
}
