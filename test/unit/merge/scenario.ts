import type { MergeStrategy } from "#contracts/merges/config.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { type Grouping, membersOf } from "#services/domain/merges/grouping/group-events.ts";
import { type Origin, thresholdsOf } from "#services/domain/merges/grouping/thresholds.ts";
import type { GroupMember, MergeRules } from "#services/domain/merges/solution/merge-group.ts";

/** Of source 0, 1, … for ids that begin with a, b, …; 12:00:00 at 0° 0° unless told. */
export function origin(id: string, given: Partial<Omit<Origin, "id">> = {}): Origin {
  return {
    source: id.charCodeAt(0) - "a".charCodeAt(0),
    id,
    time: "2020-01-01T12:00:00Z",
    latitude: 0,
    longitude: 0,
    ...given,
  };
}

/** A time of 2020-01-01, `seconds` after noon. */
export function noonPlus(seconds: number): string {
  return new Date(Date.UTC(2020, 0, 1, 12) + seconds * 1000).toISOString();
}

export function idsOf(events: readonly Origin[], grouping: Grouping): string[][] {
  return Array.from({ length: grouping.count }, (_, g) =>
    Array.from(membersOf(grouping, g), (row) => events[row]?.id ?? "none"),
  );
}

/** The member of catalogue a, b, … that its id names. */
export function member(
  eventId: string,
  known: Partial<SeismicEventRecord> = {},
  given: Partial<GroupMember> = {},
): GroupMember {
  const letter = eventId.charAt(0);
  return {
    record: {
      ...emptyRecord({ time: "2020-01-01T12:00:00Z", latitude: 0, longitude: 0 }),
      ...known,
    },
    catalogueId: `catalogue ${letter}`,
    eventId,
    source: letter.toUpperCase(),
    sourceOrder: letter.charCodeAt(0) - "a".charCodeAt(0),
    ...given,
  };
}

/** Thresholds of 16 s and 50 km, no priority. */
export function rules(strategy: MergeStrategy, priority = ""): MergeRules {
  return { strategy, priority, thresholds: thresholdsOf(16, 50) };
}
