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

/** The column's values in the order of `rows`. */
export function realsInOrder(column: Float64Array, rows: Int32Array): Float64Array {
  const ordered = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) ordered[i] = at(column, at(rows, i));
  return ordered;
}

/** The column's values in the order of `rows`. */
export function integersInOrder(column: Int32Array, rows: Int32Array): Int32Array {
  const ordered = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) ordered[i] = at(column, at(rows, i));
  return ordered;
}
