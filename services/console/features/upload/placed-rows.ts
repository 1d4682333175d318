import { columnsOfEvents } from "../../model/columns-of-events.ts";
import type { EventColumns } from "../../model/event-columns.ts";
import { type ColumnChoice, readAs } from "./columns.ts";
import type { Upload } from "./read-upload.ts";

type Rows = Pick<Upload, "headers" | "data">;

/** The first rows that have a place, where columns are read as chosen. */
export function placedRows({ headers, data }: Rows, choice: ColumnChoice): EventColumns {
  const numbers = (field: string): ((row: Rows["data"][number]) => number) => {
    const header = headers.find((name) => readAs(name, choice, headers) === field);
    return (row) => numberOf(header === undefined ? null : row[header]);
  };
  const [latitude, longitude, depth, magnitude] = [
    numbers("latitude"),
    numbers("longitude"),
    numbers("depth"),
    numbers("magnitude"),
  ];
  const time = headers.find((name) => readAs(name, choice, headers) === "time");
  const places = data.map((row, index) => ({
    id: String(index),
    time: time === undefined ? "" : String(row[time]),
    latitude: latitude(row),
    longitude: longitude(row),
    depth: depth(row),
    magnitude: magnitude(row),
  }));
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
