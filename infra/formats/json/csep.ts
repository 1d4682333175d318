import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { timeOfMilliseconds } from "../time-sense.ts";

/** The columns of pyCSEP's CSEPCatalog in the order of its `write_json`; times are milliseconds. */
const CSEP_COLUMNS = ["id", "time", "latitude", "longitude", "depth", "magnitude"] as const;

/** An event's members from a list in CSEP's JSON catalogue, or why it has none. */
export function csepMembers(row: readonly JsonValue[]): JsonObject | string {
  if (row.length !== CSEP_COLUMNS.length) {
    return `has ${row.length} values where a row of CSEP's has ${CSEP_COLUMNS.length}: ${CSEP_COLUMNS.join(", ")}`;
  }
  const members: JsonObject = Object.fromEntries(
    CSEP_COLUMNS.map((name, i) => [name, row[i] ?? null]),
  );
  const { time } = members;
  return typeof time === "number"
    ? { ...members, time: timeOfMilliseconds(time) ?? time }
    : members;
}
