import { Refusal } from "#contracts/errors.ts";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { readKnownEvents } from "#projections/queries/events/read-known-events.ts";
import type { BaseVersion } from "../changes/changes.ts";
import type { CommandContext } from "../context.ts";

/** Refuses a `source_id` or public id of another event: each identifies one event of a catalogue. */
export async function requireFreeIds(
  { pool }: CommandContext,
  base: BaseVersion,
  before: SeismicEventRecord,
  after: SeismicEventRecord,
): Promise<void> {
  const [had, has] = [idsOf(before), idsOf(after)];
  const sourceId = has.sourceId === had.sourceId ? null : has.sourceId;
  const publicId = has.publicId === had.publicId ? null : has.publicId;
  const changed: EventIds = { sourceId, publicId };
  for (const known of await readKnownEvents(pool, base, [changed])) {
    if (sourceId !== null && known.sourceId === sourceId) {
      throw new Refusal("CONFLICT", "Another event of the catalogue has this source_id");
    }
    if (publicId !== null && known.publicId === publicId) {
      throw new Refusal("CONFLICT", "Another event of the catalogue has this public id");
    }
  }
}
