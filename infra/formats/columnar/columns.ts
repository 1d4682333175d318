import { POSTGRES_EPOCH_MICROS } from "#contracts/seismic-event/origin-time.ts";
import type { BinaryRow } from "../../postgres/copy/binary-rows.ts";
import { createTextDictionary, type TextDictionary } from "./text-dictionary.ts";
import { createTextStore, type TextStore } from "./text-store.ts";

/** One column of a batch, with a value for each row; its memory serves batch after batch. */
type ColumnOf<Kind extends string, Values> = {
  readonly kind: Kind;
  /** Of any content where there is no value. */
  readonly values: Values;
  /** One bit per row, the lowest first: whether there is a value. */
  readonly valid: Uint8Array;
  /** Number of rows without a value. */
  readonly nulls: number;
  /** Takes row `row` of the batch from field `field` of a copied row. */
  readonly add: (row: number, from: BinaryRow, field: number) => void;
  readonly clear: () => void;
};

type NumberColumn = ColumnOf<"number", Float64Array>;
type IntegerColumn = ColumnOf<"integer", Int32Array>;
/** Microseconds since 1970-01-01T00:00:00Z. */
type TimeColumn = ColumnOf<"time", BigInt64Array>;
/** Texts of which most are different. */
type TextColumn = ColumnOf<"text", TextStore>;
/** Texts that come again and again. */
type CategoryColumn = ColumnOf<"category", Categories>;

type Categories = {
  /** Which of the texts a row has. */
  readonly indexes: Int32Array;
  readonly dictionary: TextDictionary;
};

/** One bit per row, the lowest first. */
type FlagColumn = ColumnOf<"flag", Uint8Array>;

export type Column =
  | NumberColumn
  | IntegerColumn
  | TimeColumn
  | TextColumn
  | CategoryColumn
  | FlagColumn;

/** How a column takes a value, which lies in `bytes` of the copied row from `start` on. */
type Taking<Kind extends string, Values> = {
  readonly kind: Kind;
  readonly values: Values;
  readonly take: (row: number, from: BinaryRow, start: number, bytes: number) => void;
  readonly takeNull?: (row: number) => void;
  readonly clearValues?: () => void;
};

function createColumn<Kind extends string, Values>(
  capacity: number,
  { kind, values, take, takeNull, clearValues }: Taking<Kind, Values>,
): ColumnOf<Kind, Values> {
  const valid = new Uint8Array(Math.ceil(capacity / 8));
  let nulls = 0;
  return {
    kind,
    values,
    valid,
    get nulls() {
      return nulls;
    },
    add(row, from, field) {
      const bytes = from.lengths[field] as number;
      if (bytes < 0) {
        nulls += 1;
        takeNull?.(row);
        return;
      }
      valid[row >> 3] = (valid[row >> 3] as number) | (1 << (row & 7));
      take(row, from, from.starts[field] as number, bytes);
    },
    clear() {
      valid.fill(0);
      nulls = 0;
      clearValues?.();
    },
  };
}

/** Of `double precision`. */
export function numberColumn(capacity: number): NumberColumn {
  const values = new Float64Array(capacity);
  return createColumn(capacity, {
    kind: "number",
    values,
    take(row, { view }, start) {
      values[row] = view.getFloat64(start);
    },
  });
}

/** Of `integer`. */
export function integerColumn(capacity: number): IntegerColumn {
  const values = new Int32Array(capacity);
  return createColumn(capacity, {
    kind: "integer",
    values,
    take(row, { view }, start) {
      values[row] = view.getInt32(start);
    },
  });
}

/** Of `timestamptz`. */
export function timeColumn(capacity: number): TimeColumn {
  const values = new BigInt64Array(capacity);
  return createColumn(capacity, {
    kind: "time",
    values,
    take(row, { view }, start) {
      values[row] = view.getBigInt64(start) + POSTGRES_EPOCH_MICROS;
    },
  });
}

/** Of `boolean`. */
export function flagColumn(capacity: number): FlagColumn {
  const values = new Uint8Array(Math.ceil(capacity / 8));
  return createColumn(capacity, {
    kind: "flag",
    values,
    take(row, { bytes }, start) {
      values[row >> 3] = (values[row >> 3] as number) | ((bytes[start] as number) << (row & 7));
    },
    clearValues: () => values.fill(0),
  });
}

/** Of `text` and `json`. */
export function textColumn(capacity: number): TextColumn {
  const values = createTextStore(capacity);
  return createColumn(capacity, {
    kind: "text",
    values,
    take: (_, from, start, bytes) => values.add(from.bytes, start, bytes),
    takeNull: () => values.reserve(0),
    clearValues: values.clear,
  });
}

/** Of `uuid`. */
export function uuidColumn(capacity: number): TextColumn {
  const values = createTextStore(capacity);
  return createColumn(capacity, {
    kind: "text",
    values,
    take: (_, from, start) => addUuid(values, from.bytes, start),
    takeNull: () => values.reserve(0),
    clearValues: values.clear,
  });
}

/** Of `text`. */
export function categoryColumn(capacity: number): CategoryColumn {
  const indexes = new Int32Array(capacity);
  const dictionary = createTextDictionary(capacity);
  return createColumn(capacity, {
    kind: "category",
    values: { indexes, dictionary },
    take(row, { bytes }, start, length) {
      indexes[row] = dictionary.indexOf(bytes, start, length);
    },
    // Some readers look at the index of a null.
    takeNull(row) {
      indexes[row] = 0;
    },
    clearValues: dictionary.clear,
  });
}

const UUID_BYTES = 16;
const TEXT_BYTES = 36;
const HYPHEN = 0x2d;
/** Where the two digits of each byte stand in the text, and the hyphens (RFC 9562, section 4). */
const DIGITS_AT = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34] as const;
const HYPHENS_AT = [8, 13, 18, 23] as const;
const DIGITS = Buffer.from("0123456789abcdef");

/** Adds the text of the UUID whose 16 bytes lie in `source` from `start` on. */
function addUuid(texts: TextStore, source: Buffer, start: number): void {
  const to = texts.reserve(TEXT_BYTES);
  const { bytes } = texts;
  for (let i = 0; i < UUID_BYTES; i += 1) {
    const byte = source[start + i] as number;
    const at = to + (DIGITS_AT[i] as number);
    bytes[at] = DIGITS[byte >> 4] as number;
    bytes[at + 1] = DIGITS[byte & 15] as number;
  }
  for (const at of HYPHENS_AT) bytes[to + at] = HYPHEN;
}
