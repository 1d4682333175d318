import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import type { SeismicEventRecord, SourceEvent } from "#contracts/seismic-event/seismic-event.ts";
import { greatCircleKm } from "./great-circle.ts";
import type { AssessedMember } from "./group-member.ts";

/** Differences are from the merged event's own origin and never negative. */
export function provenanceOf(
  members: readonly AssessedMember[],
  merged: SeismicEventRecord,
  chosenId: string,
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
  }));
}

function secondsBetween(a: string, b: string): number {
  if (a === b) return 0;
  return Math.abs(Number(timeToMicros(a) - timeToMicros(b))) / 1_000_000;
}
