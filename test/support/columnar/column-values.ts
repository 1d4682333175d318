import { STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { shiftDecimal } from "#infra/formats/decimal-number.ts";
import { EXPORT_FIELDS } from "#infra/formats/format-writer.ts";

/** The values of one event by column; times in microseconds since 1970, points as GeoJSON. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** What a columnar file has to hold of an event as the JSON export has it. */
export function columnValues(event: Omit<SeismicEvent, "source_events">): ColumnValues {
  const values: Record<string, unknown> = {};
  for (const name of EXPORT_FIELDS) {
    values[name] = withoutSign((event as Partial<SeismicEvent>)[name] ?? null);
  }
  for (const name of STRUCTURED_NAMES) {
    // Compared as values: their texts may differ in blanks.
    if (values[name] !== null) values[name] = JSON.parse(JSON.stringify(values[name]));
  }
  values["time"] = timeToMicros(event.time);
  const { longitude, latitude, depth } = event;
  const height = depth === null ? [] : [-Number(shiftDecimal(String(depth), 3))];
  const coordinates = [longitude, latitude, ...height].map(withoutSign);
  return { ...values, geometry: { type: "Point", coordinates } };
}

/** The values that a reader gave, compared in the same way. */
export function readValues(row: ColumnValues): ColumnValues {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(row)) values[name] = withoutSign(value ?? null);
  for (const name of STRUCTURED_NAMES) {
    if (typeof values[name] === "string") values[name] = JSON.parse(values[name]);
  }
  if (values["geometry"] === undefined) return values;
  const { type, coordinates } = values["geometry"] as { type: string; coordinates: number[] };
  return { ...values, geometry: { type, coordinates: coordinates.map(withoutSign) } };
}

/** Zero has none: a dictionary may give back either. */
const withoutSign = (value: unknown): unknown => (value === 0 ? 0 : value);
