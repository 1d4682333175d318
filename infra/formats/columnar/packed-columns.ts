/**
 * Some columns of a version's events, packed (contracts/query/packed-columns.ts) or as JSON.
 */

import { invalid, type Refusal } from "#contracts/errors.ts";
import type { ColumnName } from "#contracts/http/events.ts";
import {
  COLUMNS_LIMITS,
  COLUMNS_MAGIC,
  type ColumnsHeader,
  type PackedColumn,
  type PackedType,
} from "#contracts/query/packed-columns.ts";
import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { MAX_REVISION } from "#contracts/seismic-event/ids.ts";
import { POSTGRES_EPOCH_MICROS } from "#contracts/seismic-event/time.ts";
import { createSpool } from "../../files/spool.ts";
import { type BinaryRow, createBinaryRowReader } from "../../postgres/copy/copied.ts";
import type { ExportRow } from "../format-writer.ts";
import { isTextField, jsonString } from "../json/writer.ts";
import { createTextDictionary, type TextStore } from "./columns.ts";

/** What columns are of, and which. */
export type ColumnsHead = Pick<ColumnsHeader, "catalogue" | "version" | "total"> & {
  readonly columns: readonly ColumnName[];
};

/**
 * Makes columns of rows: the columns can be read once all rows have been taken. Until then their
 * values lie in files, so memory does not grow with the catalogue.
 * @template Rows the next rows, in any number
 */
export type ColumnsWriter<Rows> = {
  /** @throws Refusal VALIDATION_ERROR for columns with too many texts */
  readonly take: (rows: Rows) => Promise<void>;
  /** The answer, in pieces with buffers of their own. @throws as `take`; Error when rows are missing */
  readonly pieces: () => AsyncGenerator<Uint8Array>;
  /** Frees memory and files; may be called twice. */
  readonly discard: () => Promise<void>;
};

/** Rows whose values are kept in memory before they are written. */
const BLOCK_ROWS = 16_384;
/** Of each column, before a file is opened. */
const KEPT_BYTES = 256 * 1024;

/** The values of columns until they are read. */
function createColumnSpools(columns: number) {
  const spools = Array.from({ length: columns }, () => createSpool({ memoryBytes: KEPT_BYTES }));
  return {
    /** Adds to each column. */
    async write(blocks: readonly Uint8Array[]): Promise<void> {
      for (const [i, block] of blocks.entries()) await spools[i]?.write(block);
    },
    /** The values of the column at `index`, which can be read once. */
    async *read(index: number): AsyncGenerator<Uint8Array> {
      const spool = spools[index];
      if (spool) yield* spool.read();
    },
    async discard(): Promise<void> {
      await Promise.all(spools.map((spool) => spool.discard()));
    },
  };
}

/** Packs rows of COPY's binary format, whose fields are the columns (contracts/query/packed-columns.ts). */
export function createPackedColumns({
  columns: names,
  ...head
}: ColumnsHead): ColumnsWriter<Uint8Array> {
  const reader = createBinaryRowReader(names.length);
  const columns = names.map((name) => ({ name, values: createPackedValues(name) }));
  const block = createRowBlock(columns.map(({ values }) => values));
  const spools = createColumnSpools(names.length);
  let count = 0;

  async function keep(blocks: readonly Uint8Array[]): Promise<void> {
    requireFewTexts(columns);
    await spools.write(blocks);
  }

  return {
    async take(bytes) {
      const full: Uint8Array[][] = [];
      reader.read(bytes, (row) => {
        count += 1;
        if (block.put(row)) full.push(block.take());
      });
      for (const blocks of full) await keep(blocks);
    },
    async *pieces() {
      reader.end();
      await keep(block.take());
      const packed = columns.map(({ name, values }) => {
        const { texts } = values;
        return { name, type: values.type(), ...(texts && { dictionary: dictionaryOf(texts) }) };
      });
      yield packedHead({ ...headOf(head, count), columns: packed });
      for (const [i, { type }] of packed.entries()) {
        const bytes = spools.read(i);
        yield* type === "u8" ? lowBytes(bytes) : bytes;
        yield paddingAfter(type, count);
      }
    },
    discard: () => spools.discard(),
  };
}

/** Without its columns. */
function headOf({ catalogue, version, total }: Omit<ColumnsHead, "columns">, count: number) {
  return { catalogue, version, count, ...(total !== undefined && { total }) };
}

/** The values of the next rows, by column. */
function createRowBlock(columns: readonly PackedValues[]) {
  let views = newViews(columns);
  let rows = 0;

  return {
    /** Adds a row; true when the block is full. */
    put(row: BinaryRow): boolean {
      for (let i = 0; i < columns.length; i += 1) {
        const values = columns[i] as PackedValues;
        values.put(views[i] as DataView, rows * values.bytes, row, i);
      }
      rows += 1;
      return rows === BLOCK_ROWS;
    },
    /** The bytes of each column; the block is empty afterwards. */
    take(): Uint8Array[] {
      const bytes = views.map(({ buffer }, i) => {
        return new Uint8Array(buffer, 0, rows * (columns[i] as PackedValues).bytes);
      });
      views = newViews(columns);
      rows = 0;
      return bytes;
    },
  };
}

function newViews(columns: readonly PackedValues[]): DataView<ArrayBuffer>[] {
  return columns.map(({ bytes }) => new DataView(new ArrayBuffer(BLOCK_ROWS * bytes)));
}

/** How the values of one column are packed, each in as many bytes. */
export type PackedValues = {
  readonly bytes: number;
  /** Writes the value of a copied row, which lies in its field `field`, to `at`. */
  readonly put: (to: DataView, at: number, from: BinaryRow, field: number) => void;
  /** Of all values put so far. Indexes are put in 16 bits, of which `u8` has the lower ones. */
  readonly type: () => PackedType;
  /** The texts that the indexes from 1 on mean; null for columns of numbers. */
  readonly texts: TextStore | null;
};

/** For the values of a column as COPY's binary format has them. */
function createPackedValues(name: ColumnName): PackedValues {
  if (name === "id") return IDS;
  if (name === "time") return TIMES;
  if (name === "arrivals") return INTEGERS;
  switch (ATTRIBUTES[name].kind) {
    case "number":
      return NUMBERS;
    case "integer":
      return INTEGERS;
    case "text":
    case "enumeration":
      return packedTexts();
  }
}

const IDS: PackedValues = {
  bytes: 8,
  put(to, at, { view, starts }, field) {
    const last = (starts[field] as number) + 8;
    to.setUint32(at, view.getUint32(last) & MAX_REVISION, true);
    to.setUint32(at + 4, view.getUint32(last + 4), true);
  },
  type: () => "u32x2",
  texts: null,
};

const EPOCH_MICROS = Number(POSTGRES_EPOCH_MICROS);
/** Microseconds since 2000 within which those since 1970 are exact too. */
const EXACT_MICROS = Number.MAX_SAFE_INTEGER - EPOCH_MICROS;

const HIGH_WORD = 2 ** 32;

const TIMES: PackedValues = {
  bytes: 8,
  put(to, at, { view, starts }, field) {
    const start = starts[field] as number;
    to.setFloat64(at, millisecondsOf(view.getInt32(start), view.getUint32(start + 4)), true);
  },
  type: () => "f64",
  texts: null,
};

const NUMBERS: PackedValues = {
  bytes: 4,
  put(to, at, { view, starts, lengths }, field) {
    const isNull = (lengths[field] as number) < 0;
    to.setFloat32(at, isNull ? Number.NaN : view.getFloat64(starts[field] as number), true);
  },
  type: () => "f32",
  texts: null,
};

const INTEGERS: PackedValues = {
  ...NUMBERS,
  put(to, at, { view, starts, lengths }, field) {
    const isNull = (lengths[field] as number) < 0;
    to.setFloat32(at, isNull ? Number.NaN : view.getInt32(starts[field] as number), true);
  },
};

/**
 * The number nearest to the milliseconds since 1970 of a `timestamptz`, given as two words. A BigInt
 * for each event would cost as much as the rest; only those before 1745 and after 2255 need one.
 */
function millisecondsOf(high: number, low: number): number {
  const micros = high * HIGH_WORD + low;
  if (Math.abs(micros) < EXACT_MICROS) return (micros + EPOCH_MICROS) / 1000;
  const exact = BigInt(high) * BigInt(HIGH_WORD) + BigInt(low) + POSTGRES_EPOCH_MICROS;
  return Number(String(exact).replace(/(?=\d{3}$)/, "."));
}

/** Indexes of the texts, in order of their first rows; 0 for null. */
function packedTexts(): PackedValues {
  // Room for one more than can be packed, which tells that there are too many.
  const dictionary = createTextDictionary(COLUMNS_LIMITS.texts + 1);
  const { texts } = dictionary;
  return {
    bytes: 2,
    put(to, at, { bytes, starts, lengths }, field) {
      const length = lengths[field] as number;
      const isKnown = length >= 0 && texts.length <= COLUMNS_LIMITS.texts;
      const start = starts[field] as number;
      to.setUint16(at, isKnown ? 1 + dictionary.indexOf(bytes, start, length) : 0, true);
    },
    type: () => (texts.length < 256 ? "u8" : "u16"),
    texts,
  };
}

/** @throws Refusal VALIDATION_ERROR when there are more texts than a header can hold */
export function requireFewTexts(
  columns: readonly { readonly name: ColumnName; readonly values: PackedValues }[],
): void {
  let bytes = 0;
  for (const { name, values } of columns) {
    bytes += values.texts?.byteLength ?? 0;
    if ((values.texts?.length ?? 0) > COLUMNS_LIMITS.texts) {
      throw tooMany(`${name} has more than ${COLUMNS_LIMITS.texts} different texts`);
    }
  }
  if (bytes > COLUMNS_LIMITS.textBytes) {
    throw tooMany(`the texts have more than ${COLUMNS_LIMITS.textBytes} bytes`);
  }
}

function tooMany(what: string): Refusal {
  return invalid("columns", `${what}: exports have them`);
}

/** The texts by index; null is the first. */
function dictionaryOf(texts: TextStore): (string | null)[] {
  const each = Array.from({ length: texts.length }, (_, i) => Buffer.from(texts.at(i)).toString());
  return [null, ...each];
}

/** The lower bytes of integers of 16 bits, which may be cut anywhere. */
export async function* lowBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const piece of pieces) {
    const first = at % 2;
    const low = new Uint8Array(Math.ceil((piece.length - first) / 2));
    for (let i = 0; i < low.length; i += 1) low[i] = piece[first + 2 * i] as number;
    at += piece.length;
    yield low;
  }
}

/** Of a value. */
export const PACKED_BYTES: Readonly<Record<PackedType, number>> = {
  u32x2: 8,
  f64: 8,
  f32: 4,
  u8: 1,
  u16: 2,
};

/** Columns begin at its multiples. */
const ALIGNMENT = 8;
/** Of the magic and the length of the header. */
const HEAD_BYTES = 8;

/** A header without the places of its columns. */
type Unplaced = Omit<ColumnsHeader, "columns"> & {
  readonly columns: readonly Omit<PackedColumn, "offset">[];
};

/** The bytes before the columns, in memory of their own. */
function packedHead(header: Unplaced): Uint8Array {
  const encoder = new TextEncoder();
  // Larger offsets may have more digits, which make the header larger.
  for (let length = 0; ; ) {
    const text = encoder.encode(JSON.stringify(placed(header, HEAD_BYTES + length)));
    if (text.length <= length) return headBytes(text, length);
    length = aligned(text.length);
  }
}

/** Bytes of nothing between a column and the next. */
function paddingAfter(type: PackedType, count: number): Uint8Array {
  const bytes = PACKED_BYTES[type] * count;
  return new Uint8Array(aligned(bytes) - bytes);
}

function placed(header: Unplaced, firstOffset: number): ColumnsHeader {
  let next = firstOffset;
  const columns = header.columns.map((column) => {
    const offset = next;
    next += aligned(PACKED_BYTES[column.type] * header.count);
    return { ...column, offset };
  });
  return { ...header, columns };
}

/** @param length of the text with the spaces after it */
function headBytes(text: Uint8Array, length: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES + length).fill(" ".charCodeAt(0));
  head.set(Buffer.from(COLUMNS_MAGIC));
  new DataView(head.buffer).setUint32(COLUMNS_MAGIC.length, length, true);
  head.set(text, HEAD_BYTES);
  return head;
}

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/**
 * Writes `{catalogue, version, count, total?, columns: [{name, values}]}`, with values as the API answers them.
 * Rows have the columns' values as export rows have theirs.
 */
export function createJsonColumns({
  columns: names,
  ...head
}: ColumnsHead): ColumnsWriter<Iterable<ExportRow>> {
  const columns = names.map((name) => ({ name, isText: isTextField(name), text: "" }));
  const spools = createColumnSpools(names.length);
  const encoder = new TextEncoder();
  let rows = 0;
  let count = 0;

  function keep(): Promise<void> {
    const blocks = columns.map(({ text }) => encoder.encode(text));
    for (const column of columns) column.text = "";
    rows = 0;
    return spools.write(blocks);
  }

  return {
    async take(more) {
      for (const row of more) {
        for (const [i, column] of columns.entries()) {
          const value = row[i] ?? null;
          if (count > 0) column.text += ",";
          column.text += value !== null && column.isText ? jsonString(value) : value;
        }
        rows += 1;
        count += 1;
      }
      if (rows >= BLOCK_ROWS) await keep();
    },
    async *pieces() {
      await keep();
      yield encoder.encode(`${JSON.stringify(headOf(head, count)).slice(0, -1)},"columns":[`);
      for (const [i, { name }] of columns.entries()) {
        yield encoder.encode(`${i === 0 ? "" : ","}{"name":"${name}","values":[`);
        yield* spools.read(i);
        yield encoder.encode("]}");
      }
      yield encoder.encode("]}\n");
    },
    discard: () => spools.discard(),
  };
}
