import { asWritten, type EventColumns } from "../../model/event-columns.ts";
import { csvOfMembers } from "../../ui/text/files.ts";

type Row = Readonly<Record<string, unknown>>;
type Lists = { readonly [L in "bins" | "series"]?: readonly Row[] | undefined };

/** A list of an answer as CSV, without the lists in its rows; null where it is empty. */
export function csvOfList(answer: Lists, list: keyof Lists): string | null {
  const rows = answer[list] ?? [];
  if (rows.length === 0) return null;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => !rows.some((row) => Array.isArray(row[name])),
  );
  return csvOfMembers(rows, names);
}

export const EVENT_ROW = ["id", "time", "latitude", "longitude", "depth", "magnitude"] as const;

/** An event for a file of numbers, in the order of `EVENT_ROW`. */
export function eventRow(columns: EventColumns, index: number): readonly (string | number)[] {
  const { time, latitude, longitude, depth, magnitude } = columns;
  const numbers = [latitude, longitude, depth, magnitude].map((values) =>
    asWritten(values[index] ?? Number.NaN),
  );
  return [columns.idOf(index), isoTime(time[index] ?? 0), ...numbers];
}

/** Milliseconds since 1970 with a fraction as ISO 8601, to a microsecond where there is one. */
export function isoTime(ms: number): string {
  const microseconds = Math.round(ms * 1_000);
  const whole = Math.floor(microseconds / 1_000);
  const rest = microseconds - 1_000 * whole;
  const text = new Date(whole).toISOString();
  return rest === 0 ? text : text.replace("Z", `${String(rest).padStart(3, "0")}Z`);
}
