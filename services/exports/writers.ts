import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { BulletinTable } from "#contracts/bulletin/tables.ts";
import type { BulletinFormat as DocumentFormat } from "#contracts/http/bulletins.ts";
import type { COLUMNS_FORMS } from "#contracts/http/events.ts";
import type { ExportFormat, QuakemlForm, TABLE_FORMATS } from "#contracts/http/exports.ts";
import type { BulletinPart } from "#contracts/seismic-event/bulletin-objects.ts";
import { compactEventId } from "#contracts/seismic-event/ids.ts";
import { type BulletinPiece, unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { selectedParts } from "#infra/formats/bulletin/parts.ts";
import type { BinaryPiece } from "#infra/formats/columnar/batch.ts";
import {
  type ColumnsHead,
  type ColumnsWriter,
  createJsonColumns,
  createPackedColumns,
} from "#infra/formats/columnar/packed-columns.ts";
import { createCsvWriter } from "#infra/formats/delimited/csv.ts";
import { createFdsnTextWriter } from "#infra/formats/delimited/fdsn-text.ts";
import {
  FACADE_FORMATS,
  type FacadeFormat,
  isOfWholeEvents,
} from "#infra/formats/facade/facade-formats.ts";
import { createKmlWriter } from "#infra/formats/facade/kml.ts";
import type { FacadeAnswer } from "#infra/formats/facade-row.ts";
import type {
  BulletinWriter,
  CreateFormatWriter,
  ExportedCatalogue,
  FormatWriter,
} from "#infra/formats/format-writer.ts";
import { createIsfWriter } from "#infra/formats/isf/writer.ts";
import { createGeojsonWriter, createJsonWriter } from "#infra/formats/json/writer.ts";
import {
  createWholeQuakemlWriter,
  writeBulletin,
} from "#infra/formats/quakeml/writing/bulletin-writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";
import { createTextCopyReader, type TextRow } from "#infra/postgres/copy/copied.ts";
import type { CopyForm } from "#infra/postgres/copy/copy-out.ts";
import {
  createEventBulletinReader,
  readCopiedBulletin,
  toColumnRow,
  toExportRow,
  withBulletin,
  withCopiedBulletin,
} from "#projections/read/copied-rows.ts";

/** Their files are bytes, made by column. */
export type ColumnarFormat = "parquet" | "arrow";
/** Their files are text, made of bulletins alone. */
export type BulletinFormat = "isf";
type TaskOf<Format extends ExportFormat> = {
  readonly format: Format;
  readonly exported: ExportedCatalogue;
  /** Number of its events. */
  readonly count: number;
};

export type TextTask = TaskOf<Exclude<ExportFormat, ColumnarFormat | BulletinFormat>> & {
  /** The rows have the events' bulletins behind their fields. */
  readonly withBulletins?: true;
  /** The form of QuakeML that is made of them; absent for QuakeML of rows. */
  readonly form?: QuakemlForm;
};
export type ColumnarTask = TaskOf<ColumnarFormat>;
type BulletinTask = TaskOf<BulletinFormat>;
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

/**
 * Events per piece, and characters after which one of whole events ends. Larger strings live in V8's old space, and
 * joining very many parts at the end would cost the garbage collector more than everything else.
 */
const IN_A_PIECE = 64;
/** Rows stay below it: their pieces are as long as they were. */
export const LONG_PIECE = 96 * 1024;

/** Makes the file from rows copied as text. */
export function createTextFileWriter(task: TextTask | FacadeTask): FileWriter {
  const { begin, row: write, end } = formatWriterOf(task);
  const withBulletins = hasBulletins(task);
  const row = (fields: TextRow) => {
    const bulletin = withBulletins ? readCopiedBulletin(fields.pop() ?? null) : null;
    return write(toExportRow(fields), bulletin);
  };
  return createRowsWriter(task.count, { begin, row, end });
}

/** @param count of the rows; null for some */
function createRowsWriter(
  count: number | null,
  writer: { begin(): string; row(fields: TextRow): string; end(): string },
): FileWriter {
  const reader = createTextCopyReader();
  let begin = writer.begin();
  let seen = 0;
  return {
    take(bytes) {
      const pieces = [begin];
      begin = "";
      let text = "";
      let open = 0;
      for (const row of reader.read(bytes)) {
        text += writer.row(row);
        seen += 1;
        open += 1;
        if (open < IN_A_PIECE && text.length < LONG_PIECE) continue;
        pieces.push(text);
        text = "";
        open = 0;
      }
      pieces.push(text);
      return pieces;
    },
    end() {
      reader.end();
      const isWhole = count === null ? seen > 0 : seen === count;
      if (!isWhole) throw new ExportInterrupted(seen, count);
      return [begin + writer.end()];
    },
  };
}

function formatWriterOf(task: TextTask | FacadeTask): FormatWriter {
  if ("facade" in task) return FACADE_FORMATS[task.facade].createWriter(task.answer);
  const { format, exported, form } = task;
  return format === "quakeml" && form !== undefined
    ? createWholeQuakemlWriter(exported, form)
    : FORMAT_WRITERS[format](exported);
}

export const FORMAT_WRITERS: Readonly<Record<TextTask["format"], CreateFormatWriter>> = {
  csv: createCsvWriter,
  json: createJsonWriter,
  geojson: createGeojsonWriter,
  kml: createKmlWriter,
  quakeml: createQuakemlWriter,
  text: createFdsnTextWriter,
};

/** Makes a file of bulletins from rows of events with theirs, copied as text. */
export function createBulletinFileWriter({ format, exported, count }: BulletinTask): FileWriter {
  const read = createEventBulletinReader();
  const { begin, event, end } = BULLETIN_WRITERS[format](exported);
  return createRowsWriter(count, { begin, row: (fields) => event(read(fields).bulletin), end });
}

const BULLETIN_WRITERS: Readonly<
  Record<BulletinFormat, (exported: ExportedCatalogue) => BulletinWriter>
> = {
  isf: ({ catalogue, version }) => createIsfWriter(`${catalogue.name}, version ${version}`),
};

export type ColumnsForm = keyof typeof COLUMNS_FORMS;

/** Columns to be written. */
export type ColumnsTask = ColumnsHead & {
  readonly form: ColumnsForm;
  /** Most events that there can be. */
  readonly count: number;
};

/** The form of the rows from which columns are made. */
export const columnsCopyForm = ({ form }: ColumnsTask): CopyForm =>
  form === "packed" ? "binary" : "text";

/** Columns from pieces of copied rows (projections/read/exports.ts), piece by piece. */
export async function* writeColumns(
  task: ColumnsTask,
  rows: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const writer = task.form === "packed" ? createPackedColumns(task) : columnsFromText(task);
  try {
    for await (const bytes of rows) await writer.take(bytes);
    yield* writer.pieces();
  } finally {
    await writer.discard();
  }
}

function columnsFromText(head: ColumnsHead): ColumnsWriter<Uint8Array> {
  const reader = createTextCopyReader();
  const toRow = toColumnRow(head.columns);
  const writer = createJsonColumns(head);
  return {
    ...writer,
    take: (bytes) => writer.take(reader.read(bytes).map(toRow)),
    pieces() {
      reader.end();
      return writer.pieces();
    },
  };
}

/** One bulletin as a document of its own. */
export type DocumentTask = {
  /** As it is stored, or as it was made from its event's row. */
  readonly source: readonly Pick<BulletinPiece, "part" | "bytes">[] | Bulletin;
  /** Bytes of its JSON, 0 for one that was made from a row. */
  readonly bytes: number;
  /** The parts to answer; null for all. */
  readonly parts: readonly BulletinPart[] | null;
  readonly format: DocumentFormat;
  readonly form: QuakemlForm;
  readonly exported: ExportedCatalogue;
  readonly eventId: string;
};

/** The pieces of the document. @throws CorruptBulletin */
export function* writeDocument(task: DocumentTask): Generator<string> {
  const { source, parts, format, form, exported, eventId } = task;
  const isStored = Array.isArray(source);
  const whole = isStored ? unpackBulletin(source) : (source as Bulletin);
  const bulletin = parts === null ? whole : selectedParts(whole, new Set(parts));
  if (format === "json") {
    const told = { version: exported.version, source: isStored ? "bulletin" : "row" };
    yield `{"bulletin":${JSON.stringify(bulletin)},${JSON.stringify(told).slice(1)}`;
    return;
  }
  const [{ begin, end }, event] = writerOf();
  yield begin();
  yield event(bulletin);
  yield end();

  function writerOf() {
    if (format === "isf") {
      const writer = createIsfWriter(exported.catalogue.name);
      return [writer, writer.event] as const;
    }
    const given = { form, eventId: compactEventId(eventId) };
    return [createQuakemlWriter(exported), (of: Bulletin) => writeBulletin(of, given)] as const;
  }
}

/** One event as JSON with its bulletin. */
export type EventTask = {
  /** Its JSON without the bulletin. */
  readonly event: string;
  /** The bulletin as it is stored, or as COPY writes it. */
  readonly source: readonly Pick<BulletinPiece, "part" | "bytes">[] | Uint8Array;
  /** Of the bulletin's JSON. */
  readonly bytes: number;
};

/** @throws CorruptBulletin */
export function writeEvent({ event, source }: EventTask): string {
  return source instanceof Uint8Array
    ? withCopiedBulletin(event, Buffer.from(source))
    : withBulletin(event, unpackBulletin(source));
}
