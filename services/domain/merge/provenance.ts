import { greatCircleKm } from "#contracts/seismic-event/great-circle.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import {
  GIVEN_GROUPS,
  type SeismicEventRecord,
  type SourceEvent,
} from "#contracts/seismic-event/seismic-event.ts";
import type { Givers } from "./chosen-groups.ts";
import type { AssessedMember } from "./group-member.ts";

/**
 * Differences are from the merged event's own origin and never negative.
 * @param givers told where groups of attributes were chosen by themselves
 */
export function provenanceOf(
  members: readonly AssessedMember[],
  merged: SeismicEventRecord,
  chosenId: string,
  givers: Givers | null,
): SourceEvent[] {
  return members.map(({ record, catalogueId, eventId, source, score }) => ({
    catalogue_id: catalogueId,
    event_id: eventId,
    source_id: record.source_id,
    source,
    time_difference: secondsBetween(record.time, merged.time),
    distance: greatCircleKm(record, merged),
    quality_score: score,
    chosen: eventId === chosenId,
    ...(givers !== null && {
      gave: GIVEN_GROUPS.filter((group) => givers[group]?.eventId === eventId),
    }),
  }));
}

function secondsBetween(a: string, b: string): number {
  if (a === b) return 0;
  return Math.abs(Number(timeToMicros(a) - timeToMicros(b))) / 1_000_000;
}
