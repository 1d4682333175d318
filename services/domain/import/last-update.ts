import { compareTimes } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { isJsonObject, type JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** EMSC's member of a message that says when it last changed the event. */
export const LAST_UPDATE = "lastupdate";

/** When the agency last changed an event, as the `extra` of its message says: canonical; null where it does not. */
export function lastUpdate(extra: JsonValue | undefined): string | null {
  const value = isJsonObject(extra) ? extra[LAST_UPDATE] : null;
  return typeof value === "string" ? parseTime(value) : null;
}

/** Whether what is said of an event is older than something else; false where one of the times is not known. */
export function isOlder(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && compareTimes(one, other) < 0;
}
