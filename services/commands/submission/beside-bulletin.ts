import { isDeepStrictEqual } from "node:util";
import { ROWS_OWN } from "#contracts/bulletin/own-members.ts";
import { COLUMN_NAMES } from "#contracts/seismic-event/event-columns.ts";
import { postgresMicros } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { GivenAttributes } from "#services/domain/seismic-event/validate-event.ts";
import type { ValidatedEvent } from "#services/domain/seismic-event/validation-result.ts";

/**
 * The record of an event with a bulletin: the bulletin's view, with the id and the members of `extra`
 * that are given beside it. Other attributes beside it must agree with the view.
 */
export function besideBulletin(
  view: SeismicEventRecord,
  { record, named, errors }: GivenAttributes,
): ValidatedEvent {
  const differing = COLUMN_NAMES.filter(
    (name) =>
      !ROWS_OWN.includes(name) &&
      (named.has(name) || (record[name] !== null && record[name] !== "")) &&
      !agree(name, record[name], view[name]),
  ).map((field) => ({ field, message: "is not what the bulletin says" }));
  const faults = [...errors, ...differing];
  const sourceId = record.source_id ?? view.source_id;
  if (faults.length > 0) {
    return { ok: false, errors: faults, ...(sourceId !== null && { id: sourceId }) };
  }
  const { extra } = record;
  return {
    ok: true,
    record: {
      ...view,
      source_id: sourceId,
      extra: extra === null ? view.extra : { ...view.extra, ...extra },
    },
  };
}

function agree(name: string, given: unknown, shown: unknown): boolean {
  if (name === "time" && typeof given === "string" && typeof shown === "string") {
    return postgresMicros(given) === postgresMicros(shown);
  }
  return isDeepStrictEqual(given, shown);
}
