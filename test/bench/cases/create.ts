import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ExportFormat } from "#contracts/http/exports.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf, createBy } from "../../support/bench-service.ts";
import { catalogueBody } from "../../support/generate-catalogue.ts";
import { type Detail, importAll, withAgency } from "../agencies.ts";
import { beside, medians, type Result } from "../measure.ts";
import type { FileReading, ReadTask } from "../read-thread.ts";
import { againstCopy } from "../yardsticks.ts";

/**
 * Creating a catalogue by POST until it is visible, against a COPY of the very rows that it made
 * into the same table with the same indexes. Both are repeated in turn.
 */
export async function benchCreate(
  bench: BenchService,
  count: number,
  repetitions: number,
  target: number,
  warmUps?: number,
): Promise<Result> {
  const body = Buffer.from(catalogueBody(`bench ${count}`, count, count));
  const make = () => create(bench.client, body, count);
  return beside(
    ["create by POST until visible", `${count} events`, "s"],
    ["COPY of the same rows", target],
    await againstCopy(bench, count, repetitions, make, warmUps),
  );
}

/** Creates a catalogue and sees it, by the same client. */
async function create(client: ApiClient, body: Buffer, count: number): Promise<string> {
  const id = await createBy(client, [body]);
  const page = await client.get<{ events: unknown[]; total: number }>(
    `/api/catalogues/${id}/events?pageSize=1`,
  );
  if (page.body.total !== count || page.body.events.length !== 1) {
    throw new Error("what was created is not visible");
  }
  return id;
}

/** How much longer than the COPY an import may take: 0.4 and 0.25 of its rate. */
const TARGETS = { summary: 1 / 0.4, full: 1 / 0.25 } as const satisfies Record<Detail, number>;
const FORMATS = { summary: "FDSN text", full: "QuakeML of 1 KB an event" } as const;

/** Imports of `count` events until they are visible, against a COPY of the very rows. */
export async function benchImport(count: number, repetitions: number): Promise<Result[]> {
  return withAgency(count, 0, async (bench) => {
    const results: Result[] = [];
    for (const detail of Object.keys(TARGETS) as Detail[]) {
      const make = () => importAll(bench.client, detail, count);
      results.push(
        beside(
          [`import of ${FORMATS[detail]} until visible`, `${count} events`, "s"],
          ["COPY of the same rows", TARGETS[detail]],
          await againstCopy(bench, count, repetitions, make),
        ),
      );
    }
    return results;
  });
}

/** Twice the time of the bare parser is half its rate. */
const TARGET = 2;

/** The bare parsers: they cut the text and make nothing of it. */
const YARDSTICKS = {
  csv: "csv-parse",
  quakeml: "saxes",
} as const satisfies Partial<Record<ExportFormat, FileReading>>;

/** Reading files, bytes to rows, against the parsers below the readers, each in a thread of its own. */
export async function benchRead(
  { client }: BenchService,
  count: number,
  repetitions: number,
): Promise<Result[]> {
  const id = await catalogueOf(client, count);
  const results: Result[] = [];
  for (const [format, parser] of Object.entries(YARDSTICKS)) {
    const response = await client.stream(`/api/catalogues/${id}/export?format=${format}`);
    const file = new Uint8Array(await response.arrayBuffer());
    const task = { file, count, passes: repetitions };
    const ours = await passesOf({ ...task, reading: "service" });
    const yardstick = await passesOf({ ...task, reading: parser });
    const size = `${count} events, ${Math.round(file.length / 1e6)} MB`;
    results.push(
      beside([`read ${format}`, size, "s"], [`${parser} alone`, TARGET], medians(ours, yardstick)),
    );
  }
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

async function passesOf(task: ReadTask): Promise<number[]> {
  const worker = new Worker(new URL("../read-thread.ts", import.meta.url), { workerData: task });
  const [seconds] = await once(worker, "message");
  await once(worker, "exit");
  return seconds;
}
