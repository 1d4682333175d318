import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PackedBulletin } from "#infra/bulletins/packed-bulletin.ts";
import type { StoredIds } from "#services/domain/events/identity.ts";

/** An event whose ids have not come before. */
export type Candidate = {
  readonly ids: StoredIds;
  readonly record: SeismicEventRecord;
  /** Absent or null where nothing but the record is known of it. */
  readonly bulletin?: PackedBulletin | null;
};
