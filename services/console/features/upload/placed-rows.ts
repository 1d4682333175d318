import { columnsOfEvents } from "../../model/columns-of-events.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { type ColumnChoice, readAs } from "./columns.ts";
import type { Upload } from "./read-upload.ts";

type Rows = Pick<Upload, "headers" | "data">;

/** The first rows that have a place, where columns are read as chosen. */
export function placedRows({ headers, data }: Rows, choice: ColumnChoice): EventColumns {
  // The first column of each meaning.
  const columns = new Map(
    headers.toReversed().map((name) => [readAs(name, choice, headers), name]),
  );
  const places = data.map((row, index) => {
    const cell = (field: string) => {
      const column = columns.get(field);
      return column === undefined ? null : row[column];
    };
    return {
      id: String(index),
      time: String(cell("time") ?? ""),
      latitude: numberOf(cell("latitude")),
      longitude: numberOf(cell("longitude")),
      depth: numberOf(cell("depth")),
      magnitude: numberOf(cell("magnitude")),
    };
  });
  return columnsOfEvents(
    0,
    places.filter((row) => Math.abs(row.latitude) <= 90 && Math.abs(row.longitude) <= 360),
  );
}

/** NaN where it is none. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
}
