import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { ScalarName } from "#contracts/http/events.ts";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/exports.ts";
import { emptyRecord, type SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { packBulletin, sealBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { writtenColumns, writtenDocument, writtenFile } from "#services/exports/exporter.ts";
import {
  type BulletinFormat,
  type ColumnarFormat,
  type ColumnsTask,
  type DocumentTask,
  FORMAT_WRITERS,
  writeDocument,
} from "#services/exports/writers.ts";
import { openGatewayThreads } from "#services/threads.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { copiedColumns, copiedRows, uuidOf } from "../../support/columnar/copied-rows.ts";
import { writeArrow, writeParquet } from "../../support/columnar/write-columnar.ts";
import { endsAsStream } from "../../support/columnar.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { EXPORTED } from "../../support/formats/exported.ts";
import { openResources, spoolsAmong } from "../../support/open-resources.ts";
import { decodeColumns, packedValue } from "../../support/packed/decode-columns.ts";
import { testRows } from "../../support/test-rows.ts";

/** Those that are made of rows alone. */
type RowFormat = Exclude<ExportFormat, BulletinFormat>;
const FORMATS = Object.keys(EXPORT_FORMATS).filter((format) => format !== "isf") as RowFormat[];
const COLUMNAR = { parquet: writeParquet, arrow: writeArrow } as const;
/** So few are written by the thread that answers, so many by another. */
const [FEW, MANY] = [50, 2_001];

const { threads, close } = openGatewayThreads("");
afterAll(close);

const records = fc.sample(anyRecord, { numRuns: 100, seed: 8 });
const plain = emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 });
const events = Array.from(
  { length: MANY },
  (_, i): SeismicEvent => ({ id: uuidOf(i), ...(records[i] ?? plain) }),
);

const escaped = (text: string | null): string =>
  text === null ? "\\N" : text.replace(/[\\\n\r\t]/g, (c) => `\\${ESCAPES[c]}`);
const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\", "\n": "n", "\r": "r", "\t": "t" };

/** The row of an event as PostgreSQL copies it. */
function copied(event: SeismicEvent): string {
  const [seconds = "", fraction = ""] = event.time.slice(0, -1).split(".");
  const kept = fraction.replace(/0+$/, "");
  const time = `${seconds.replace("T", " ")}${kept && `.${kept}`}+00`;
  const fields = exportRowOf({ ...event, time });
  return `${[...fields, null, String(fraction.length)].map(escaped).join("\t")}\n`;
}

const rowsOf = (count: number): Buffer => Buffer.from(events.slice(0, count).map(copied).join(""));

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const isColumnar = (format: RowFormat): format is ColumnarFormat => format in COLUMNAR;

/** The rows as the format's writer takes them. */
const copyOf = (format: RowFormat, count: number): Promise<Buffer> =>
  isColumnar(format) ? copiedRows(events.slice(0, count)) : Promise.resolve(rowsOf(count));

/** A character for each byte, of texts in UTF-8. */
const bytesOf = (piece: string | Uint8Array): string => Buffer.from(piece).toString("latin1");

async function fileOf(format: RowFormat, count: number): Promise<string> {
  if (isColumnar(format)) {
    return (await COLUMNAR[format](events.slice(0, count))).toString("latin1");
  }
  const writer = FORMAT_WRITERS[format](EXPORTED);
  const rows = events.slice(0, count).map((event) => writer.row(exportRowOf(event)));
  return bytesOf([writer.begin(), ...rows, writer.end()].join(""));
}

async function write(
  format: RowFormat,
  count: number,
  rows: AsyncIterable<Uint8Array>,
): Promise<string> {
  let file = "";
  for await (const piece of writtenFile(
    threads,
    { format, exported: EXPORTED, count },
    () => rows,
    NOBODY,
  )) {
    file += bytesOf(piece);
  }
  return file;
}

/** Where two files differ first, with what stands there; files as a whole fill the screen. */
function difference(file: string, expected: string): string | null {
  if (file === expected) return null;
  let at = 0;
  while (file[at] === expected[at]) at += 1;
  return `${at}: ${file.slice(at, at + 80)} instead of ${expected.slice(at, at + 80)}`;
}

test.each([FEW, MANY])("an exporter writes every format of %i rows", async (count) => {
  // Columns are written in a thread, however many rows there are.
  for (const format of FORMATS.filter((one) => count === FEW || !isColumnar(one))) {
    const file = await write(format, count, cut(await copyOf(format, count), 64 * 1024));
    expect(difference(file, await fileOf(format, count)), format).toBeNull();
  }
});

/** Text here and in a thread; columns are always written in one. */
const WRITTEN = [
  ["csv", FEW],
  ["json", MANY],
  ["parquet", FEW],
  ["arrow", FEW],
] as const;

test("rows may be cut anywhere, several files be written at a time", async () => {
  for (const [format, count] of WRITTEN) {
    const rows = await copyOf(format, count);
    const files = [rows.length / 9, rows.length / 4, rows.length, 1 + rows.length / 50].map(
      (size) => write(format, count, cut(rows, Math.ceil(size))),
    );
    const expected = await fileOf(format, count);
    for (const file of await Promise.all(files)) expect(difference(file, expected)).toBeNull();
  }
});

test("a file fails without its end when its rows are not as many as announced, or end within one", async () => {
  for (const [format, count] of [...WRITTEN, ["csv", MANY] as const]) {
    const what = `${format} ${count}`;
    const bytes = await copyOf(format, count);
    for (const announced of [count - 1, count + 1]) {
      const task = { format, exported: EXPORTED, count: announced };
      const pieces: Uint8Array[] = [];
      const writing = (async () => {
        for await (const piece of writtenFile(threads, task, () => cut(bytes, 4_096), NOBODY)) {
          pieces.push(Buffer.from(piece));
        }
      })();
      await expect(writing, what).rejects.toThrow(`${count} of ${announced} events were there`);
      const file = Buffer.concat(pieces);
      expect(endsAsStream(file), what).toBe(false);
      expect(file.subarray(4).includes("PAR1"), what).toBe(false);
    }
    const short = cut(bytes.subarray(0, bytes.length - 1), 4_096);
    await expect(write(format, count, short), what).rejects.toThrow("the copy ends within a row");
  }
});

describe.each([FEW, MANY])("an exporter of %i events", (count) => {
  test("fails as its rows do", async () => {
    const fault = new Error("the database is gone");
    async function* failing(): AsyncGenerator<Buffer> {
      yield* cut(rowsOf(20), 1_000);
      throw fault;
    }
    await expect(write("quakeml", count, failing())).rejects.toBe(fault);
  });

  test("that is given up gives its rows up, and fetched few beyond what was taken", async () => {
    let fetched = 0;
    const { promise: givenUp, resolve } = Promise.withResolvers<void>();
    async function* counted(): AsyncGenerator<Buffer> {
      try {
        for await (const bytes of cut(rowsOf(count), 1_000)) {
          fetched += 1;
          yield bytes;
        }
      } finally {
        resolve();
      }
    }
    for await (const _ of writtenFile(
      threads,
      { format: "csv", exported: EXPORTED, count },
      counted,
      NOBODY,
    )) {
      break;
    }
    await givenUp;
    expect(fetched).toBeLessThanOrEqual(3);
  });
});

const CATALOGUE = "0f0e1d2c-abcd-4000-8000-000000000000";
const COLUMNS: readonly ScalarName[] = ["id", "magnitude", "event_type", "region"];
const columnsTaskOf = (count: number): ColumnsTask => ({
  catalogue: CATALOGUE,
  version: 2,
  columns: COLUMNS,
  form: "packed",
  count,
});

const columnRowsOf = (count: number) => copiedColumns(events.slice(0, count), COLUMNS);

async function columnsText(count: number, rows: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of writtenColumns(threads, columnsTaskOf(count), () => rows, NOBODY))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

describe.each([FEW, MANY])("columns of %i events", (count) => {
  test("are written of rows cut anywhere, several at a time", async () => {
    const rows = await columnRowsOf(count);
    const sizes = [rows.length / 9, rows.length, 1 + rows.length / 50].map(Math.ceil);
    const bodies = await Promise.all(sizes.map((size) => columnsText(count, cut(rows, size))));
    for (const body of bodies) {
      const expected = COLUMNS.map((name) =>
        events.slice(0, count).map((event) => packedValue(event, name)),
      );
      expect(decodeColumns(body).values).toEqual(expected);
    }
  });

  test("fail as their rows do, before the first piece", async () => {
    const fault = new Error("the database is gone");
    async function* failing(): AsyncGenerator<Buffer> {
      yield await columnRowsOf(20);
      throw fault;
    }
    await expect(
      writtenColumns(threads, columnsTaskOf(count), failing, NOBODY).next(),
    ).rejects.toBe(fault);
  });

  test("fail when rows are missing, before the first piece", async () => {
    const rows = await columnRowsOf(count);
    const short = cut(rows.subarray(0, rows.length - 3), 4_096);
    const pieces = writtenColumns(threads, columnsTaskOf(count), () => short, NOBODY);
    await expect(pieces.next()).rejects.toThrow("the copy ends within a row");
  });
});

test.each([FEW, 40_000])(
  "columns of what was announced as %i events leave no file when they are given up",
  async (count) => {
    // So many that their ids do not stay in memory.
    const many = Array.from({ length: 40_000 }, (_, i) => events[i % MANY] as SeismicEvent);
    const rows = await copiedColumns(many, COLUMNS);
    const spools = async () => spoolsAmong(await openResources());
    const pieces = writtenColumns(
      threads,
      columnsTaskOf(count),
      () => cut(rows, 64 * 1024),
      NOBODY,
    );
    await pieces.next();
    expect(await spools()).toBeGreaterThan(0);
    await pieces.return(undefined);
    await vi.waitFor(async () => expect(await spools()).toBe(0));
  },
);

const ID = "smi:test.local";

/** An event with so many picks, of the same id. */
function bulletinOf(picks: number): Bulletin {
  const pick = { publicID: `${ID}/p`, time: { value: "2020-01-01T00:00:00Z" } };
  const waveformID = { networkCode: "NZ", stationCode: "S" };
  const place = { latitude: { value: 1 }, longitude: { value: 2 } };
  return {
    publicID: `${ID}/e`,
    origin: [{ publicID: `${ID}/o`, time: pick.time, ...place }],
    pick: Array.from({ length: picks }, () => ({ ...pick, waveformID })),
  };
}

function documentTaskOf(bulletin: Bulletin, format: DocumentTask["format"]): DocumentTask {
  const { pieces, counts } = packBulletin(bulletin);
  return {
    source: pieces,
    bytes: counts.bytes,
    parts: null,
    format,
    form: "valid",
    exported: EXPORTED,
    eventId: uuidOf(1),
  };
}

async function written(task: DocumentTask): Promise<string> {
  const pieces: (string | Uint8Array)[] = [];
  for await (const piece of writtenDocument(threads, task, NOBODY)) pieces.push(piece);
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString("utf8");
}

testRows("a bulletin is answered whole, as JSON and as QuakeML", [3, 10_000], async (picks) => {
  const bulletin = bulletinOf(picks);
  const json = JSON.parse(await written(documentTaskOf(bulletin, "json")));
  expect(json).toMatchObject({ version: EXPORTED.version, source: "bulletin" });
  expect(sealBulletin(json.bulletin).sha256).toBe(sealBulletin(bulletin).sha256);
  const quakeml = documentTaskOf(bulletin, "quakeml");
  expect((await written(quakeml)) === [...writeDocument(quakeml)].join("")).toBe(true);
});
