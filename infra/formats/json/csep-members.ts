import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** The columns of pyCSEP's CSEPCatalog, as its `write_json` lists them; times are milliseconds. */
const COLUMNS = ["id", "time", "latitude", "longitude", "depth", "magnitude"] as const;

/** The members of an event that CSEP's JSON catalogue writes as a list, or why it is none. */
export function csepMembers(row: readonly JsonValue[]): JsonObject | string {
  if (row.length !== COLUMNS.length) {
    return `has ${row.length} values where a row of CSEP's has ${COLUMNS.length}: ${COLUMNS.join(", ")}`;
  }
  return Object.fromEntries(COLUMNS.map((name, i) => [name, row[i] ?? null]));
}
