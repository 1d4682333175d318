import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { qualityScore } from "./quality-score.ts";

/** An event of a group, and its source. */
export type GroupMember = {
  readonly record: SeismicEventRecord;
  readonly catalogueId: string;
  readonly eventId: string;
  /** Label of the source in the request. */
  readonly source: string;
  /** Index of the catalogue in `sourceCatalogues`. */
  readonly sourceOrder: number;
};

/** A member with its quality score. */
export type AssessedMember = GroupMember & { readonly score: number };

export function assess(member: GroupMember): AssessedMember {
  const { record, catalogueId, eventId, source, sourceOrder } = member;
  const score = qualityScore(record).total;
  return { record, catalogueId, eventId, source, sourceOrder, score };
}
