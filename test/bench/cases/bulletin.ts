import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Client } from "pg";
import { z } from "zod";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { type BenchService, catalogueOf, drain } from "../../support/bench-service.ts";
import { hasPython, runPython } from "../../support/clients/python.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { importAll, withAgency } from "../agencies.ts";
import {
  beside,
  compareBetween,
  medians,
  p99,
  type Result,
  secondsOf,
  within,
} from "../measure.ts";
import type { ReadTask } from "../read-thread.ts";
import { drainCopy } from "../yardsticks.ts";

const PICKS = 25;
const READ_MB_A_SECOND = 40;
/** How many times as fast as ObsPy's reader. */
const FASTER_THAN_OBSPY = 25;
/** Twice the time of the COPY is half its speed. */
const COPY_TARGET = 2;
const FIRST_BYTE_MS = 50;
const EXPORTING_MIB = 300;
const LOG_SHARE = 0.15;
const ROWS_SHARE = 0.2;
const DOCUMENT_MS = 20;
const DOCUMENTS = 300;

/**
 * Bulletins of events with 25 picks and arrivals each: reading their file, what they take in log and
 * read model, exporting them whole, and one of them at a time.
 */
export async function benchBulletin(events: number, repetitions: number): Promise<Result[]> {
  const file = bulletinFile(events, PICKS);
  return [
    ...(await benchReading(file, events, repetitions)),
    ...(await withAgency(events, PICKS, (bench) =>
      benchKept(bench, file.length, events, repetitions),
    )),
  ];
}

async function benchReading(file: Buffer, count: number, passes: number): Promise<Result[]> {
  const task: ReadTask = { reading: "service", file: new Uint8Array(file), count, passes };
  const worker = new Worker(new URL("../read-thread.ts", import.meta.url), { workerData: task });
  const [seconds]: [number[]] = (await once(worker, "message")) as [number[]];
  const size = sizeOf(file.length, count);
  const named = ["read whole QuakeML", size, "s"] as const;
  const results = [within(named, file.length / 1e6 / READ_MB_A_SECOND, seconds)];
  if (hasPython) {
    const theirs = medians(seconds, [await secondsOfObspy(file)]);
    results.push(beside(named, ["ObsPy's reader", 1 / FASTER_THAN_OBSPY], theirs));
  }
  return results;
}

async function secondsOfObspy(file: Buffer): Promise<number> {
  const directory = await createTemporaryDirectory();
  try {
    const path = join(directory.path, "events.xml");
    await writeFile(path, file);
    return (await runPython<{ seconds: number }>("read_quakeml.py", { input: path })).seconds;
  } finally {
    await directory.remove();
  }
}

async function benchKept(
  bench: BenchService,
  xmlBytes: number,
  events: number,
  repetitions: number,
): Promise<Result[]> {
  const before = await bytesOf(bench.database);
  const id = await importAll(bench.client, "full", events);
  const after = await bytesOf(bench.database);
  const shares = [
    ["log of bulletins", after.log - before.log, LOG_SHARE],
    ["read model of bulletins", after.rows - before.rows, ROWS_SHARE],
  ] as const;
  return [
    ...shares.map(([name, bytes, share]) =>
      within([`size of the ${name}`, sizeOf(xmlBytes, events), "MB"], (xmlBytes * share) / 1e6, [
        bytes / 1e6,
      ]),
    ),
    ...(await benchWhole(bench, id, events, repetitions)),
    await benchDocuments(bench, id),
  ];
}

const Bytes = z.tuple([z.object({ log: z.coerce.number(), rows: z.coerce.number() })]);

/** Bytes of the log's frames, and of the tables of bulletins with their indexes. */
export async function bytesOf(database: Client) {
  const { rows } = await database.query(
    `select (select coalesce(sum(bytes), 0) from event_log.events where stream like '%-bulletins-%') as log,
            pg_total_relation_size('read_model.bulletins')
              + pg_total_relation_size('read_model.bulletin_magnitudes') as rows`,
  );
  return Bytes.parse(rows)[0];
}

/**
 * The whole export, by a process that has done nothing else, against a COPY of the same bytes out of a
 * table, both read to the end.
 */
async function benchWhole(
  bench: BenchService,
  id: string,
  events: number,
  repetitions: number,
): Promise<Result[]> {
  const path = `/api/catalogues/${id}/export?format=quakeml`;
  return bench.withAnother(async (client, pid) => {
    const pieces: Buffer[] = [];
    const firstBytes: number[] = [];
    const [peak] = await peakMemoryOf(pid, () =>
      readAll(client, path, (piece) => pieces.push(Buffer.from(piece))),
    );
    const bytes = await fillTable(bench.database, Buffer.concat(pieces));
    const comparison = await compareBetween(
      repetitions,
      async () => firstBytes.push(await readAll(client, path, () => undefined)),
      () => drainCopy(bench.database, COPIED, "binary"),
    );
    const size = sizeOf(bytes, events);
    const against = ["COPY of the same bytes", COPY_TARGET] as const;
    return [
      beside(["export whole QuakeML", size, "s"], against, comparison),
      within(["its first byte", size, "ms"], FIRST_BYTE_MS, firstBytes),
      within(["peak memory of it", size, "MiB"], EXPORTING_MIB, [peak]),
    ];
  });
}

/** Reads an answer to its end. @returns milliseconds until its first byte */
async function readAll(
  client: ApiClient,
  path: string,
  take: (piece: Uint8Array) => void,
): Promise<number> {
  const began = performance.now();
  const response = await client.stream(path, { "accept-encoding": "identity" });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  let first = Number.NaN;
  for await (const piece of response.body ?? []) {
    if (Number.isNaN(first)) first = performance.now() - began;
    take(piece);
  }
  return first;
}

const PIECE_BYTES = 64 * 1024;
const COPIED = "select piece from copied_bytes order by place";

/** A table of the bytes in pieces, in their order. */
async function fillTable(database: Client, bytes: Buffer): Promise<number> {
  await database.query(
    "create temporary table copied_bytes (place integer primary key, piece bytea)",
  );
  await database.query("alter table copied_bytes alter column piece set storage external");
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    await database.query("insert into copied_bytes values ($1, $2)", [at / PIECE_BYTES, piece]);
  }
  return bytes.length;
}

const Page = z.object({ events: z.array(z.object({ id: z.string() })) });

/** One bulletin at a time, by GET. */
export async function benchDocuments({ client }: BenchService, id: string): Promise<Result> {
  const { body } = await client.get(`/api/catalogues/${id}/events?limit=${DOCUMENTS}&offset=0`);
  const milliseconds: number[] = [];
  for (const event of Page.parse(body).events) {
    const path = `/api/catalogues/${id}/events/${event.id}/bulletin`;
    const seconds = await secondsOf(async () => {
      const { status } = await client.get(path);
      if (status !== 200) throw new Error(`${path} answered ${status}`);
    });
    milliseconds.push(seconds * 1000);
  }
  return within(["one bulletin, p99", `${PICKS} picks`, "ms"], DOCUMENT_MS, [p99(milliseconds)]);
}

function sizeOf(bytes: number, events: number): string {
  return `${events} events, ${Math.round(bytes / 1e6)} MB`;
}

/** 0.95 of the speed without bulletins. */
const TARGET = 1 / 0.95;
const FEW_PICKS = 4;

/** What reads rows, and opens no bulletin. */
const ROW_READS = {
  "a list": "events?pagination=cursor&limit=1000",
  "the export as CSV": "export?format=csv",
} as const;

/**
 * Reading rows of a catalogue of `count` events, of which `whole` have bulletins, against the same of a
 * catalogue without bulletins.
 */
export async function benchBesideBulletins(
  { client, database, shared }: BenchService,
  count: number,
  whole: number,
  repetitions: number,
): Promise<Result[]> {
  const plain = await shared.of(count);
  const id = await mixedCatalogue(client, count, whole);
  await database.query("vacuum (analyze) read_model.seismic_events");
  const results: Result[] = [];
  for (const [name, path] of Object.entries(ROW_READS)) {
    const comparison = await compareBetween(
      repetitions,
      () => drain(client, `/api/catalogues/${id}/${path}`),
      () => drain(client, `/api/catalogues/${plain.id}/${path}`),
    );
    results.push(
      beside(
        [`${name} beside bulletins`, `${count} events, ${whole} with bulletins`, "s"],
        ["without bulletins", TARGET],
        comparison,
      ),
    );
  }
  await client.send("DELETE", `/api/catalogues/${id}`);
  return results;
}

async function mixedCatalogue(client: ApiClient, count: number, whole: number): Promise<string> {
  const form = new FormData();
  form.set("file", new Blob([new Uint8Array(bulletinFile(whole, FEW_PICKS))]), "events.xml");
  const kept = await client.send<{ uploadId: string }>("POST", "/api/upload?keep=true", form);
  const { uploadId } = kept.body;
  const made = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name: "with bulletins",
    uploadId,
  });
  if (made.status !== 201) throw new Error(`creating answered ${made.status}`);
  return catalogueOf(client, count - whole, made.body.id);
}

/** A file of QuakeML as GeoNet writes it: `events` generated events of `picks` picks and arrivals each. */
function bulletinFile(events: number, picks: number): Buffer {
  const pieces = [XML_HEAD];
  for (const event of servedEvents(1, events)) pieces.push(writeXml(event, picks));
  return Buffer.from(`${pieces.join("")}${XML_TAIL}`);
}
