import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import { emptyRecord, type SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import {
  createEventIdentifier,
  type KnownEvent,
  keepIdentity,
  knownEvents,
  NOTHING_KNOWN,
} from "#services/domain/events/identity.ts";
import type { Given } from "./model-catalogue.ts";

/** A catalogue that is written as imports and submissions are, its events looked up as they are there. */
export function createWrittenCatalogue() {
  let events: (KnownEvent & { record: SeismicEventRecord })[] = [];

  const recordOf = ({ sourceId, publicId, value }: Given): SeismicEventRecord => ({
    ...emptyRecord({ time: "2020-01-01T00:00:00Z", latitude: 1, longitude: 2 }),
    source_id: sourceId,
    magnitude: value,
    extra: publicId === null || publicId === sourceId ? null : { public_id: publicId },
  });

  function give(
    batches: readonly (readonly SeismicEventRecord[])[],
    updateExisting: boolean,
  ): void {
    const identifier = createEventIdentifier();
    const base = events;
    const updated = new Map<string, SeismicEventRecord>();
    const addedRecords: SeismicEventRecord[] = [];
    for (const batch of batches) {
      const fresh = batch.flatMap((record) => {
        const ids = identifier.take(idsOf(record));
        return ids === null ? [] : [{ ids, record }];
      });
      // What the open revision has superseded is not found any more.
      const known = knownEvents(base.filter(({ id }) => !updated.has(id)));
      for (const { ids, record } of fresh) {
        const identified = identifier.identify(ids, known);
        if (identified.outcome === "new") {
          addedRecords.push({ ...record, source_id: identified.sourceId });
        } else if (identified.outcome === "known" && updateExisting) {
          updated.set(identified.event.id, keepIdentity(record, identified.event));
        }
      }
    }
    const records = base.map(({ id, record }) => updated.get(id) ?? record);
    events = [...records, ...addedRecords].map((record, i) => ({
      id: String(i).padStart(6, "0"),
      ...idsOf(record),
      record,
    }));
  }

  return {
    import: (windows: readonly (readonly Given[])[], updateExisting: boolean) =>
      give(
        windows.map((window) => window.map(recordOf)),
        updateExisting,
      ),
    submit(given: readonly Given[], updateExisting: boolean) {
      const identifier = createEventIdentifier();
      const valid = given.map(recordOf).flatMap((record) => {
        const ids = identifier.take(idsOf(record));
        if (ids === null) return [];
        const identified = identifier.identify(ids, NOTHING_KNOWN);
        return identified.outcome === "new" ? [{ ...record, source_id: identified.sourceId }] : [];
      });
      give([valid], updateExisting);
    },
    remove(place: number) {
      events = events.filter((_, i) => i !== place % events.length);
    },
    events: () =>
      events.map(({ sourceId, publicId, record }) => ({
        sourceId,
        publicId,
        value: record.magnitude,
      })),
  };
}
