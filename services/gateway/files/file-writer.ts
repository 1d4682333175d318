import type { BulletinTable } from "#contracts/bulletin/table-columns.ts";
import type { ExportFormat, QuakemlForm, TABLE_FORMATS } from "#contracts/http/catalogue-export.ts";
import type { BinaryPiece } from "#infra/formats/columnar/batch.ts";
import { type FacadeFormat, isOfWholeEvents } from "#infra/formats/facade/facade-formats.ts";
import type { FacadeAnswer } from "#infra/formats/facade-row.ts";
import type { ExportedCatalogue } from "#infra/formats/format-writer.ts";
import type { CopyForm } from "#infra/postgres/copy/copy-out.ts";

/** Their files are bytes, made by column. */
export type ColumnarFormat = "parquet" | "arrow";
/** Their files are text, made of bulletins alone. */
export type BulletinFormat = "isf";
type TextFormat = Exclude<ExportFormat, ColumnarFormat | BulletinFormat>;

type TaskOf<Format extends ExportFormat> = {
  readonly format: Format;
  readonly exported: ExportedCatalogue;
  /** Number of its events. */
  readonly count: number;
};

export type TextTask = TaskOf<TextFormat> & {
  /** The rows have the events' bulletins behind their fields. */
  readonly withBulletins?: true;
  /** The form of QuakeML that is made of them; absent for QuakeML of rows. */
  readonly form?: QuakemlForm;
};
export type ColumnarTask = TaskOf<ColumnarFormat>;
export type BulletinTask = TaskOf<BulletinFormat>;
/** An answer of the event service, of at least one event where their number is not known. */
export type FacadeTask = {
  readonly facade: FacadeFormat;
  readonly answer: FacadeAnswer;
  readonly count: number | null;
};
/** A table of the events' bulletins, which stand in the rows. */
export type TableTask = {
  readonly table: BulletinTable;
  readonly tableFormat: (typeof TABLE_FORMATS)[number];
  /** What JSON has before the rows, and columnar files as metadata. */
  readonly head: Readonly<Record<string, unknown>>;
  /** Number of the events whose bulletins they are. */
  readonly count: number;
};
/** A file to be written. */
export type FileTask = TextTask | ColumnarTask | BulletinTask | FacadeTask | TableTask;

export const isTable = (task: FileTask): task is TableTask => "table" in task;

export const isOfBulletins = (task: FileTask): task is BulletinTask =>
  "format" in task && task.format === "isf";

/** Whether its rows have the events' bulletins behind their fields. */
export const hasBulletins = (task: FileTask): boolean =>
  isTable(task) ||
  isOfBulletins(task) ||
  ("withBulletins" in task && task.withBulletins === true) ||
  ("facade" in task && (task.answer.inclusion !== null || isOfWholeEvents(task.facade)));

export const isColumnar = (task: FileTask): task is ColumnarTask =>
  "format" in task && isColumnarFormat(task.format);

export function isColumnarFormat(format: ExportFormat): format is ColumnarFormat {
  return format === "parquet" || format === "arrow";
}

/** The form of the rows from which a file is made. */
export const copyFormOf = (task: FileTask): CopyForm => (isColumnar(task) ? "binary" : "text");

/**
 * Makes a file from the copied rows of its events (projections/read/versions.ts); the
 * file is the concatenation of the pieces.
 */
export type FileWriter = {
  readonly take: (bytes: Uint8Array) => FilePiece[];
  /** @throws ExportInterrupted */
  readonly end: () => FilePiece[];
};

export type FilePiece = string | BinaryPiece;

/** The rows differ from the count: the catalogue was deleted meanwhile. */
export class ExportInterrupted extends Error {
  override readonly name = "ExportInterrupted";

  /** @param count null for some */
  constructor(seen: number, count: number | null) {
    super(`${seen} of ${count ?? "some"} events were there`);
  }
}
