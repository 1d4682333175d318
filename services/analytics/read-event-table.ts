import type { ClientBase } from "pg";
import { eventPositions, POSITION } from "#projections/queries/analytics/event-positions.ts";
import type { AnalysisSelection } from "#projections/queries/analytics/selection.ts";
import type { EventTable } from "#services/domain/statistics/event-table.ts";

/** The events of a selection that have a magnitude, with their ids, by time, then id. */
export async function readEventTable(
  client: ClientBase,
  selection: AnalysisSelection,
): Promise<{ readonly ids: readonly string[]; readonly table: EventTable }> {
  const ids: string[] = [];
  const columns = createColumns(["time", "latitude", "longitude", "depth", "magnitude"]);
  for await (const rows of eventPositions(client, selection)) {
    for (const row of rows) {
      ids.push(row[POSITION.id] ?? "");
      columns.push(row);
    }
  }
  const [times, latitudes, longitudes, depths, magnitudes] = columns.take();
  const table = { length: ids.length, times, latitudes, longitudes, depths, magnitudes };
  return { ids, table };
}

type Columns = readonly [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];

const FIRST_CAPACITY = 4_096;

/** Numbers by column, in memory that doubles; NaN for null. */
function createColumns(names: readonly (keyof typeof POSITION)[]) {
  let capacity = FIRST_CAPACITY;
  let length = 0;
  let columns = names.map(() => new Float64Array(capacity));
  return {
    push(row: readonly (string | null)[]): void {
      if (length === capacity) {
        capacity *= 2;
        columns = columns.map((column) => {
          const larger = new Float64Array(capacity);
          larger.set(column);
          return larger;
        });
      }
      for (const [i, name] of names.entries()) {
        const text = row[POSITION[name]];
        const column = columns[i];
        if (column) column[length] = text == null ? Number.NaN : Number(text);
      }
      length += 1;
    },
    take: () => columns.map((column) => column.subarray(0, length)) as unknown as Columns,
  };
}
