import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { qualityScore } from "./quality-score.ts";

export type GroupMember = {
  readonly record: SeismicEventRecord;
  readonly catalogueId: string;
  readonly eventId: string;
  /** Label of the source in the request. */
  readonly source: string;
  /** Index of the catalogue in `sourceCatalogues`. */
  readonly sourceOrder: number;
};

export type AssessedMember = GroupMember & { readonly score: number };

export function assess(member: GroupMember): AssessedMember {
  const { record, catalogueId, eventId, source, sourceOrder } = member;
  const score = qualityScore(record).total;
  return { record, catalogueId, eventId, source, sourceOrder, score };
}
