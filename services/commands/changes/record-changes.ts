import { idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import { keepIdentity } from "#services/domain/identity/known-events.ts";
import { type Changes, type ChangeTarget, sameRecord } from "./revision-changes.ts";

/** Receives the fate of each candidate. */
export type ChangeListener = {
  readonly added: () => void;
  readonly updated: () => void;
  /** `existing`: the catalogue has the event and keeps its own; `unchanged`: it has an equal one. */
  readonly skipped: (reason: "existing" | "unchanged") => void;
};

const NOBODY: ChangeListener = { added() {}, updated() {}, skipped() {} };

/** Writes and counts changes to the events of a version. */
export function recordChanges(target: ChangeTarget, listener: ChangeListener = NOBODY) {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const updatedIds: string[] = [];
  return {
    add(record: SeismicEventRecord, sourceId: string | null): EncodedChunk | null {
      listener.added();
      const isNamed = record.source_id === sourceId;
      return writer.add(isNamed ? record : { ...record, source_id: sourceId });
    },
    /** Replaces an event of the catalogue where the record differs from it. */
    update({ id, ...before }: SeismicEvent, record: SeismicEventRecord): EncodedChunk | null {
      // Provenance comes from merges; submissions and agencies have none, so it is kept.
      const identified = keepIdentity(record, idsOf(before));
      const after = { ...identified, source_events: before.source_events };
      if (sameRecord(before, after)) {
        listener.skipped("unchanged");
        return null;
      }
      listener.updated();
      updatedIds.push(id);
      for (const name of touchedBounds(target.bounds, before)) touched.add(name);
      return writer.update(id, after);
    },
    /** Keeps an existing event, or one that matches several existing ones. */
    leave(): null {
      listener.skipped("existing");
      return null;
    },
    finish: () => writer.finish(),
    changes: (): Changes => ({
      ...writer.counts(),
      bounds: writer.bounds(),
      touched: [...touched],
      goneIds: touched.size > 0 ? updatedIds : [],
    }),
  };
}
