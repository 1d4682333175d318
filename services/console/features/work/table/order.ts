import type { EventColumns } from "../../../model/event-columns.ts";

export type SortColumn = "time" | "magnitude" | "depth" | "latitude" | "longitude";

/**
 * The shown events in the order of a column; unknown values last both ways, equal ones newest first.
 * @param shown ascending; null for all
 */
export function ordered(
  columns: EventColumns,
  indexes: Uint32Array | null,
  sort: SortColumn,
  order: "asc" | "desc",
): Uint32Array {
  const rows = indexes ? indexes.slice() : everyIndex(columns.count);
  // Columns are newest first already.
  if (sort === "time") return order === "desc" ? rows : rows.reverse();
  const values = columns[sort];
  const sign = order === "asc" ? 1 : -1;
  return rows.sort((a, b) => {
    const [left, right] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
    if (Number.isNaN(left)) return Number.isNaN(right) ? a - b : 1;
    if (Number.isNaN(right)) return -1;
    return left === right ? a - b : sign * (left - right);
  });
}

function everyIndex(count: number): Uint32Array {
  const rows = new Uint32Array(count);
  for (let i = 0; i < count; i++) rows[i] = i;
  return rows;
}
