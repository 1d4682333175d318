import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS, type ExportFormat } from "#contracts/http/catalogue-export.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { NOBODY } from "#infra/kernel/asker.ts";
import { createExporter } from "#services/gateway/files/exporter.ts";
import type { BulletinFormat, ColumnarFormat } from "#services/gateway/files/file-writer.ts";
import { FORMAT_WRITERS } from "#services/gateway/files/text-file-writer.ts";
import { openGatewayThreads } from "#services/gateway/threads/gateway-threads.ts";
import { anyRecord } from "../../support/arbitrary-record.ts";
import { copiedRows, uuidOf } from "../../support/columnar/copied-rows.ts";
import { endsAsStream } from "../../support/columnar/read-arrow.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { writeArrow, writeParquet } from "../formats/columnar/write-columnar.ts";
import { EXPORTED } from "../formats/json/exported.ts";

/** Those that are made of rows alone. */
type RowFormat = Exclude<ExportFormat, BulletinFormat>;
const FORMATS = Object.keys(EXPORT_FORMATS).filter((format) => format !== "isf") as RowFormat[];
const COLUMNAR = { parquet: writeParquet, arrow: writeArrow } as const;
/** So few are written by the thread that answers, so many by another. */
const [FEW, MANY] = [50, 2_500];

const { threads, close } = openGatewayThreads();
const exporter = createExporter(threads);
afterAll(close);

const events: SeismicEvent[] = fc
  .sample(anyRecord, { numRuns: MANY, seed: 8 })
  .map((record, i) => ({ id: uuidOf(i), ...record }));

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
  for await (const piece of exporter.write(
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

describe.each([FEW, MANY])("an exporter of %i events", (count) => {
  test.each(FORMATS)("writes the %s of its rows", async (format) => {
    const file = await write(format, count, cut(await copyOf(format, count), 64 * 1024));
    expect(difference(file, await fileOf(format, count))).toBeNull();
  });

  test.each(["json", "parquet", "arrow"] as const)(
    "writes %s wherever they are cut, several at a time",
    async (format) => {
      const rows = await copyOf(format, count);
      const files = [rows.length / 9, rows.length / 4, rows.length, 1 + rows.length / 50].map(
        (size) => write(format, count, cut(rows, Math.ceil(size))),
      );
      const expected = await fileOf(format, count);
      for (const file of await Promise.all(files)) expect(difference(file, expected)).toBeNull();
    },
  );

  describe.each(["csv", "parquet", "arrow"] as const)("as %s", (format) => {
    test.each([count - 1, count + 1])("fails when they are not %i", async (announced) => {
      const rows = cut(await copyOf(format, count), 4_096);
      await expect(write(format, announced, rows)).rejects.toThrow(
        `${count} of ${announced} events were there`,
      );
    });

    test("fails without the file's end when events are missing", async () => {
      const rows = cut(await copyOf(format, count), 4_096);
      const task = { format, exported: EXPORTED, count: count + 1 };
      const pieces: Uint8Array[] = [];
      const writing = (async () => {
        for await (const piece of exporter.write(task, () => rows, NOBODY))
          pieces.push(Buffer.from(piece));
      })();
      await expect(writing).rejects.toThrow();
      const file = Buffer.concat(pieces);
      expect(endsAsStream(file)).toBe(false);
      expect(file.subarray(4).includes("PAR1")).toBe(false);
    });

    test("fails when they end within one", async () => {
      const rows = await copyOf(format, count);
      const short = cut(rows.subarray(0, rows.length - 1), 4_096);
      await expect(write(format, count, short)).rejects.toThrow("the copy ends within a row");
    });
  });

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
    for await (const _ of exporter.write(
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
