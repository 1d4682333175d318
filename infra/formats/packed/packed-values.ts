import {
  COLUMNS_LIMITS,
  type ColumnName,
  type PackedType,
} from "#contracts/http/events/event-columns.ts";
import { ATTRIBUTES } from "#contracts/seismic-event/attributes.ts";
import { MAX_REVISION } from "#contracts/seismic-event/event-id.ts";
import { POSTGRES_EPOCH_MICROS } from "#contracts/seismic-event/origin-time.ts";
import type { BinaryRow } from "../../postgres/copy/binary-rows.ts";
import { createTextDictionary } from "../columnar/text-dictionary.ts";
import type { TextStore } from "../columnar/text-store.ts";

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
export function createPackedValues(name: ColumnName): PackedValues {
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

const HIGH_WORD = 2 ** 32;
const EPOCH_MICROS = Number(POSTGRES_EPOCH_MICROS);
/** Microseconds since 2000 within which those since 1970 are exact too. */
const EXACT_MICROS = Number.MAX_SAFE_INTEGER - EPOCH_MICROS;

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
