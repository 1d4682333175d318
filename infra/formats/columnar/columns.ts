import { POSTGRES_EPOCH_MICROS } from "#contracts/seismic-event/time.ts";
import type { BinaryRow } from "../../postgres/copy/copied.ts";

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

export type Column = ReturnType<
  | typeof numberColumn
  | typeof integerColumn
  | typeof timeColumn
  | typeof flagColumn
  | typeof textColumn
  | typeof categoryColumn
>;

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
export function numberColumn(capacity: number) {
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
export function integerColumn(capacity: number) {
  const values = new Int32Array(capacity);
  return createColumn(capacity, {
    kind: "integer",
    values,
    take(row, { view }, start) {
      values[row] = view.getInt32(start);
    },
  });
}

/** Of `timestamptz`: microseconds since 1970-01-01T00:00:00Z. */
export function timeColumn(capacity: number) {
  const values = new BigInt64Array(capacity);
  return createColumn(capacity, {
    kind: "time",
    values,
    take(row, { view }, start) {
      values[row] = view.getBigInt64(start) + POSTGRES_EPOCH_MICROS;
    },
  });
}

/** Of `boolean`: one bit per row, the lowest first. */
export function flagColumn(capacity: number) {
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

/** Of `text` and `json`: texts of which most are different. */
export function textColumn(capacity: number) {
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
export function uuidColumn(capacity: number) {
  const values = createTextStore(capacity);
  return createColumn(capacity, {
    kind: "text",
    values,
    take: (_, from, start) => addUuid(values, from.bytes, start),
    takeNull: () => values.reserve(0),
    clearValues: values.clear,
  });
}

/** Of `text`: texts that come again and again. */
export function categoryColumn(capacity: number) {
  /** Which of the texts a row has. */
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

/**
 * Places looked at for one text. A text that would need more is added again, which readers allow, so
 * that no choice of texts makes this slow.
 */
const MOST_PLACES = 16;

export type TextDictionary = ReturnType<typeof createTextDictionary>;

/**
 * Different texts, each with the index at which it was first met.
 * @param capacity most calls of `indexOf` before it is cleared
 */
export function createTextDictionary(capacity: number) {
  const texts = createTextStore(capacity);
  const mask = 2 ** Math.ceil(Math.log2(2 * capacity)) - 1;
  /** Index + 1 of the text with a hash; 0 for a free place. */
  const places = new Int32Array(mask + 1);
  const hashes = new Int32Array(capacity);

  function isAt(index: number, source: Buffer, start: number, bytes: number): boolean {
    const at = texts.offsets[index] as number;
    if ((texts.offsets[index + 1] as number) - at !== bytes) return false;
    const own = texts.bytes;
    for (let i = 0; i < bytes; i += 1) {
      if (own[at + i] !== source[start + i]) return false;
    }
    return true;
  }

  return {
    texts,
    /** The index of the text that lies in `source`, which is added if it is new. */
    indexOf(source: Buffer, start: number, bytes: number): number {
      const hash = hashOf(source, start, bytes);
      let place = hash & mask;
      for (let tries = 0; tries < MOST_PLACES; tries += 1) {
        const index = (places[place] as number) - 1;
        if (index < 0) {
          places[place] = texts.length + 1;
          break;
        }
        if (hashes[index] === hash && isAt(index, source, start, bytes)) return index;
        place = (place + 1) & mask;
      }
      hashes[texts.length] = hash;
      texts.add(source, start, bytes);
      return texts.length - 1;
    },
    clear(): void {
      if (texts.length > 0) places.fill(0);
      texts.clear();
    },
  };
}

/** FNV-1a in 32 bits (RFC 9923), its last bits mixed once more. */
function hashOf(source: Buffer, start: number, bytes: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < start + bytes; i += 1) {
    hash = Math.imul(hash ^ (source[i] as number), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}

const FIRST_BYTES = 4 * 1024;

export type TextStore = ReturnType<typeof createTextStore>;

/**
 * Texts in UTF-8, one after the other as Arrow lays them out (Columnar Format, "Variable-size Binary
 * Layout"): text `i` is `bytes` from `offsets[i]` to `offsets[i + 1]`.
 * @param capacity most texts
 */
export function createTextStore(capacity: number) {
  const offsets = new Int32Array(capacity + 1);
  let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  let used = 0;

  /** Makes room for a text of `count` bytes that the caller writes; where it begins. */
  function reserve(count: number): number {
    const start = used;
    used += count;
    if (used > bytes.length) bytes = enlarged(bytes, start, used);
    length += 1;
    offsets[length] = used;
    return start;
  }

  return {
    get bytes() {
      return bytes;
    },
    offsets,
    get length() {
      return length;
    },
    get byteLength() {
      return used;
    },
    /** Adds the text that lies in `source`; an empty one for no bytes. */
    add(source: Buffer, start: number, count: number): void {
      const at = reserve(count);
      // A call of the native copy costs more than a short text.
      if (count > SHORT_BYTES) source.copy(bytes, at, start, start + count);
      else for (let i = 0; i < count; i += 1) bytes[at + i] = source[start + i] as number;
    },
    reserve,
    at(index: number): Uint8Array {
      const start = offsets[index] as number;
      return new Uint8Array(bytes.buffer, start, (offsets[index + 1] as number) - start);
    },
    clear(): void {
      length = 0;
      used = 0;
    },
  };
}

const SHORT_BYTES = 48;

/** A buffer of at least `bytes`, with the first `used` of a smaller one. */
export function enlarged(from: Buffer, used: number, bytes: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.max(2 * from.length, bytes));
  from.copy(larger, 0, 0, used);
  return larger;
}
