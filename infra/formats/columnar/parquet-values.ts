import type { DecodedArray } from "hyparquet";
import type { Column } from "./columns.ts";
import type { TextStore } from "./text-store.ts";

/**
 * The values of a column's first `length` rows as hyparquet-writer takes them: an array of numbers as
 * it is where none is null, texts as bytes, equal ones of a category as one object.
 */
export function parquetValues(column: Column, length: number): DecodedArray {
  if (column.nulls === length) return new Array(length).fill(null);
  switch (column.kind) {
    case "text":
      if (column.nulls === 0) return textBytes(column.values, length);
      return orNulls(column, length, column.values.at);
    case "category": {
      const { indexes, dictionary } = column.values;
      const texts = textBytes(dictionary.texts, dictionary.texts.length);
      return orNulls(column, length, (row) => texts[indexes[row] as number]);
    }
    case "flag":
      return orNulls(column, length, (row) => bitOf(column.values, row) === 1);
    default: {
      const { values } = column;
      if (column.nulls === 0) return values.subarray(0, length);
      return orNulls(column, length, (row) => values[row]);
    }
  }
}

export function textBytes(texts: TextStore, length: number): Uint8Array[] {
  const values = new Array<Uint8Array>(length);
  for (let i = 0; i < length; i += 1) values[i] = texts.at(i);
  return values;
}

function orNulls<V>({ valid }: Column, length: number, valueAt: (row: number) => V): (V | null)[] {
  const values = new Array<V | null>(length);
  for (let row = 0; row < length; row += 1) {
    values[row] = bitOf(valid, row) === 1 ? valueAt(row) : null;
  }
  return values;
}

function bitOf(bits: Uint8Array, row: number): number {
  return ((bits[row >> 3] as number) >> (row & 7)) & 1;
}
