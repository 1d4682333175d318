import { createTextBytes, withRoomFor } from "../text-bytes.ts";

/** The numeric columns for merging: only two types, so that access stays fast. */
export type NumberColumn = Float64Array | Int32Array;

/**
 * The value at `index`.
 * @throws RangeError beyond the column
 */
export function at(column: NumberColumn, index: number): number {
  const value = column[index];
  if (value === undefined) throw new RangeError(`${index} is not one of ${column.length} rows`);
  return value;
}

/** The column's values in the order of `rows`, which are all of it. */
export function inOrder<C extends NumberColumn>(column: C, rows: Int32Array): C {
  return column.map((_, i) => at(column, at(rows, i))) as C;
}

/** Texts by row, or null. */
export type TextColumn = {
  /** Also null beyond the last row. */
  textOf(row: number): string | null;
  /** Compares bytes: below 0 when the text of row `a` comes first. Null precedes all texts. */
  compare(a: number, b: number): number;
};

/** Follows each text, so that an empty text differs from null. */
const END = 0;

/**
 * Collects up to `capacity` well-formed texts in one buffer. As V8 strings, the ids of a million
 * events would be 64 MB that each garbage collection scans, for 0.1 to 0.3 s, which is as long as
 * grouping them takes.
 */
export function createTextColumnBuilder(capacity: number) {
  /** Offset of each row, and the end of the last; exact beyond 4 GiB. */
  const starts = new Float64Array(capacity + 1);
  let bytes = createTextBytes();
  let length = 0;
  let end = 0;

  return {
    /** @throws RangeError beyond the capacity */
    push(text: string | null): void {
      if (length === capacity) throw new RangeError(`there is room for ${capacity} texts only`);
      if (text !== null) {
        bytes = withRoomFor(text, 1, bytes, end);
        end += bytes.write(text, end);
        bytes[end] = END;
        end += 1;
      }
      length += 1;
      starts[length] = end;
    },
    /** The rows pushed so far, without a copy. */
    finish: (): TextColumn => createTextColumn(starts.subarray(0, length + 1), bytes),
  };
}

function createTextColumn(starts: Float64Array, bytes: Buffer): TextColumn {
  const startOf = (row: number): number => starts[row] ?? 0;
  const endOf = (row: number): number => starts[row + 1] ?? startOf(row);
  return {
    textOf(row) {
      const [start, end] = [startOf(row), endOf(row)];
      return start === end ? null : bytes.toString("utf8", start, end - 1);
    },
    compare: (a, b) => bytes.compare(bytes, startOf(b), endOf(b), startOf(a), endOf(a)),
  };
}
