import contentDisposition from "content-disposition";
import type { FragmentSqlToken } from "slonik";
import type { z } from "zod";
import type { BulletinTable } from "#contracts/bulletin/tables.ts";
import { invalid } from "#contracts/errors.ts";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportQuery,
  type ExportTable,
  TABLE_FORMATS,
} from "#contracts/http/exports.ts";
import { QUICK_BULLETIN_BYTES } from "#infra/bulletins/packed-bulletin.ts";
import type { BinaryPiece } from "#infra/formats/columnar/batch.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { CopyForm } from "#infra/postgres/copy/copy-out.ts";
import { tableColumn } from "#projections/read/bulletins.ts";
import { bulletinColumn } from "#projections/read/versions.ts";
import { acceptedType } from "../headers.ts";
import type { GatewayThreads } from "../threads.ts";
import {
  type ColumnsTask,
  columnsCopyForm,
  copyFormOf,
  createTextFileWriter,
  type DocumentTask,
  type EventTask,
  type FacadeTask,
  type FilePiece,
  type FileTask,
  hasBulletins,
  isColumnar,
  isOfBulletins,
  isTable,
  type TextTask,
  writeColumns,
  writeDocument,
  writeEvent,
} from "./writers.ts";

/** Written as text within 20 ms, faster than a thread starts. */
const SMALL = 2_000;

/** The threads that write what is made of rows, and what is made of bulletins. */
export type ExportThreads = Pick<GatewayThreads, "exports" | "wholeExports">;

/** Those of its events as COPY writes them, which are fetched on demand. */
type Rows = (form: CopyForm) => AsyncIterable<Uint8Array>;

/**
 * The file for `rows`, large and columnar ones written in a thread.
 * @throws errors of `rows`; Error when the number of rows differs from the announced one
 */
export function writtenFile(
  { exports, wholeExports }: ExportThreads,
  task: FileTask,
  rowsAs: Rows,
  asker: Asker,
): AsyncGenerator<FilePiece> {
  const rows = rowsAs(copyFormOf(task));
  // A bulletin may be large, and so is then what is made of it.
  if (isTable(task) || isOfBulletins(task) || hasBulletins(task)) {
    return writeInThread(wholeExports, task, rows, asker);
  }
  // Columnar formats come with libraries of some 10 MiB, which stay in the thread.
  if (isColumnar(task)) return writeInThread(exports, task, rows, asker);
  const isSmall = task.count !== null && task.count <= SMALL;
  return isSmall ? writeHere(task, rows) : writeInThread(exports, task, rows, asker);
}

/** The document of one event. @throws CorruptBulletin */
export function writtenDocument(
  { wholeExports }: ExportThreads,
  task: DocumentTask,
  asker: Asker,
): AsyncGenerator<string | Uint8Array> {
  if (task.bytes <= QUICK_BULLETIN_BYTES) return inOrder(writeDocument(task));
  return inParts(wholeExports.stream("writeDocumentOf", task, asker));
}

/** An event's JSON with its bulletin. @throws CorruptBulletin */
export async function writtenEvent(
  { wholeExports }: ExportThreads,
  task: EventTask,
  asker: Asker,
): Promise<Buffer> {
  if (task.bytes <= QUICK_BULLETIN_BYTES) return Buffer.from(writeEvent(task));
  const { buffer } = await wholeExports.run("writeEventOf", task, asker);
  return Buffer.from(buffer);
}

/** The columns for `rows`. The first piece comes after the last row. @throws errors of `rows`; Refusal */
export function writtenColumns(
  { exports }: ExportThreads,
  task: ColumnsTask,
  rowsAs: Rows,
  asker: Asker,
): AsyncGenerator<Uint8Array> {
  const rows = rowsAs(columnsCopyForm(task));
  if (task.count <= SMALL) return writeColumns(task, rows);
  return exports.stream("writeColumnsOf", task, asker, { input: rows });
}

async function* writeHere(
  task: TextTask | FacadeTask,
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<FilePiece> {
  const writer = createTextFileWriter(task);
  for await (const bytes of rows) yield* writer.take(bytes);
  yield* writer.end();
}

async function* writeInThread(
  threads: ExportThreads["exports"],
  task: FileTask,
  input: AsyncIterable<Uint8Array>,
  asker: Asker,
): AsyncGenerator<FilePiece> {
  for await (const pieces of threads.stream("writeFile", task, asker, { input })) {
    for (const piece of pieces) {
      if (typeof piece === "string") yield piece;
      else yield* partsOf(piece);
    }
  }
}

/** A batch may be megabytes, of which a slow client's socket takes a little at a time. */
const PART_BYTES = 64 * 1024;

async function* inParts(pieces: AsyncIterable<BinaryPiece>): AsyncGenerator<BinaryPiece> {
  for await (const piece of pieces) yield* partsOf(piece);
}

function* partsOf(piece: BinaryPiece): Generator<BinaryPiece> {
  for (let at = 0; at < piece.length; at += PART_BYTES) yield piece.subarray(at, at + PART_BYTES);
}

async function* inOrder(pieces: Iterable<string>): AsyncGenerator<string> {
  yield* pieces;
}

/** What is written of a catalogue's events, and of what. */
export type ExportForm = {
  /** Of the file's name. */
  readonly extension: string;
  /** The column of bulletins, where the file is made of them. */
  readonly columns: { readonly further?: FragmentSqlToken };
  readonly taskOf: (exported: ExportedCatalogue, count: number) => FileTask;
};

/** What is asked for, beside which events. */
type ExportChoice = Pick<z.output<typeof ExportQuery>, "include" | "detail" | "form"> & {
  readonly format: ExportFormat;
  readonly table: ExportTable;
};

/** @throws Refusal VALIDATION_ERROR for what the format has not */
export function exportForm(choice: ExportChoice): ExportForm {
  requireFit(choice);
  const { format, table, include, detail, form = "valid" } = choice;
  if (table !== "events") return tableForm(format, table);
  const { extension } = EXPORT_FORMATS[format];
  if (format === "isf") {
    const columns = { further: bulletinColumn() };
    return { extension, columns, taskOf: (exported, count) => ({ format, exported, count }) };
  }
  const isWhole = format === "quakeml" && detail !== "summary";
  if (!isWhole && include === undefined) {
    return { extension, columns: {}, taskOf: (exported, count) => ({ format, exported, count }) };
  }
  const whole = { withBulletins: true, ...(isWhole && { form }) } as const;
  return {
    extension,
    columns: { further: bulletinColumn() },
    taskOf: (exported, count) => ({ format, exported, count, ...whole }),
  };
}

/** @throws Refusal VALIDATION_ERROR */
function requireFit({ format, table, include, detail, form }: ExportChoice): void {
  if (include !== undefined && (format !== "json" || table !== "events")) {
    throw invalid("include", "bulletins stand beside the events of json only");
  }
  if (detail !== undefined && format !== "quakeml") throw invalid("detail", "is of quakeml only");
  if (form !== undefined && (format !== "quakeml" || detail === "summary")) {
    throw invalid("form", "is of quakeml in full only");
  }
}

/** @throws Refusal VALIDATION_ERROR for a format without tables */
function tableForm(format: ExportFormat, table: BulletinTable): ExportForm {
  const tableFormat = TABLE_FORMATS.find((known) => known === format);
  if (tableFormat === undefined) {
    throw invalid("table", `other tables than events are in ${TABLE_FORMATS.join(", ")} only`);
  }
  return {
    extension: `${table}.${EXPORT_FORMATS[format].extension}`,
    columns: { further: tableColumn(table) },
    taskOf(exported, count) {
      const { catalogue, version } = exported;
      return { table, tableFormat, count, head: { catalogue, version, table } };
    },
  };
}

/**
 * The formats by media type, the default first. A browser that follows a link prefers HTML, then
 * XML, and gets the default.
 */
const BY_MEDIA_TYPE: ReadonlyMap<string, ExportFormat> = new Map([
  ["text/csv", "csv"],
  ["text/html", "csv"],
  ...Object.entries(EXPORT_FORMATS).map(
    ([format, { contentType }]) =>
      [contentType.replace(/;.*/, ""), format as ExportFormat] as const,
  ),
]);

/** The format that `Accept` prefers; CSV when it accepts none of them. */
export function acceptedFormat(accept: string | undefined): ExportFormat {
  const type = acceptedType(accept, [...BY_MEDIA_TYPE.keys()]);
  return BY_MEDIA_TYPE.get(type ?? "") ?? "csv";
}

const MAX_NAME_LENGTH = 100;
/** Characters that are unsafe in file systems or headers, including control characters. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu;

/** `Content-Disposition` for a file named after its catalogue, with a name that is safe for saving. */
export function attachment(name: string, version: number, extension: string): string {
  const safe = [...name.replace(UNSAFE, " ").replace(/\s+/g, " ").trim()]
    .slice(0, MAX_NAME_LENGTH)
    .join("");
  // A leading dot would hide the file.
  const base = safe.replace(/^[.\s]+/, "").trim() || "catalogue";
  return contentDisposition(`${base} v${version}.${extension}`);
}
