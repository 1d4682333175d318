import { isDeepStrictEqual } from "node:util";
import { COLUMN_NAMES } from "#contracts/seismic-event/event-columns.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";

/** Whether two records are equal; a time with a different number of digits is a different time. */
export function sameRecord(
  a: SeismicEventRecord | SeismicEvent,
  b: SeismicEventRecord | SeismicEvent,
): boolean {
  return COLUMN_NAMES.every(
    (name) =>
      a[name] === b[name] || (typeof a[name] === "object" && isDeepStrictEqual(a[name], b[name])),
  );
}
