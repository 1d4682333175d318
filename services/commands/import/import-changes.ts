import type { ClientBase } from "pg";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import type { ImportError } from "#contracts/import-run.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { copyEventsBySourceId, copyKnownSourceIds } from "#projections/queries/events-by-source.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import { createImportedReader, type ImportedRow } from "#services/domain/import/read-imported.ts";
import { sameRecord } from "../catalogues/add-events.ts";
import type { BaseVersion } from "../catalogues/edit.ts";
import { createSeenIds } from "../seen-ids.ts";
import { importErrorOf } from "./import-error.ts";
import type { Tally } from "./import-tally.ts";

/** Source ids that are looked up in one query. */
const LOOKUP = 5_000;

export type ImportTarget = BaseVersion & {
  /** Whether the base version has any events. */
  readonly hasEvents: boolean;
  readonly bounds: Bounds;
  readonly updateExisting: boolean;
};

export type ImportedChanges = {
  readonly added: number;
  readonly updated: number;
  /** Of the events added and updated. */
  readonly bounds: Bounds;
  /** Bounds of the base version on which an event lay that is updated: they may shrink. */
  readonly touched: readonly BoundName[];
  /** All that are updated, where a bound is touched. */
  readonly updatedIds: readonly string[];
};

export type ChangeWriter = {
  /** Takes the events that the agency has given, and gives the chunks that are full with them. */
  readonly take: (given: readonly PlacedEvent[]) => AsyncGenerator<EncodedChunk>;
  /** The last chunk, null when nothing is left. */
  readonly finish: () => EncodedChunk | null;
  readonly changes: () => ImportedChanges;
};

/**
 * Compares what the agency gives with what the catalogue has, and writes what is new or different.
 * An id that has come in this run already is passed over: windows and boxes meet at their edges.
 * @param client a connection of the run's own, to look events up with
 */
export function createChangeWriter(
  client: ClientBase,
  target: ImportTarget,
  tally: Tally,
  nowMs: number,
): ChangeWriter {
  const read = createImportedReader(nowMs);
  const writer = createChunkWriter();
  const seen = createSeenIds();
  const touched = new Set<BoundName>();
  const updatedIds: string[] = [];

  function candidates(given: readonly PlacedEvent[]): Map<string, SeismicEventRecord> {
    const found = new Map<string, SeismicEventRecord>();
    for (const placed of given) {
      const imported = read(placed.event);
      const { outcome, sourceId } = imported;
      if (sourceId !== null && !seen.add(sourceId)) continue;
      if (outcome === "event") found.set(imported.sourceId, imported.record);
      else if (outcome !== "error") tally.skipped(outcome);
      else tally.failed(errorOf(placed, imported));
    }
    return found;
  }

  function update({ id, ...before }: SeismicEvent, given: SeismicEventRecord) {
    // Where an event comes from is told by merges, and no agency knows of it.
    const after = { ...given, source_events: before.source_events };
    if (sameRecord(before, after)) {
      tally.skipped("unchanged");
      return null;
    }
    tally.updated();
    updatedIds.push(id);
    for (const name of touchedBounds(target.bounds, before)) touched.add(name);
    return writer.update(id, after);
  }

  function add(record: SeismicEventRecord) {
    tally.added();
    return writer.add(record);
  }

  /** How each of the events is written; the chunk that it fills, if any. */
  async function writerOf(ids: readonly string[]) {
    if (target.updateExisting) {
      const present = await copyEventsBySourceId(client, target, ids);
      return (sourceId: string, record: SeismicEventRecord): EncodedChunk | null => {
        const found = present.get(sourceId);
        return found === undefined ? add(record) : update(found, record);
      };
    }
    const present = await copyKnownSourceIds(client, target, ids);
    return (sourceId: string, record: SeismicEventRecord): EncodedChunk | null => {
      if (!present.has(sourceId)) return add(record);
      tally.skipped("existing");
      return null;
    };
  }

  return {
    async *take(given) {
      for (let start = 0; start < given.length; start += LOOKUP) {
        const records = candidates(given.slice(start, start + LOOKUP));
        const write = await writerOf(target.hasEvents ? [...records.keys()] : []);
        for (const [sourceId, record] of records) {
          const chunk = write(sourceId, record);
          if (chunk !== null) yield chunk;
        }
      }
    },
    finish: () => writer.finish(),
    changes: () => {
      const { added, updated } = writer.counts();
      const ids = touched.size > 0 ? updatedIds : [];
      return { added, updated, bounds: writer.bounds(), touched: [...touched], updatedIds: ids };
    },
  };
}

function errorOf(
  { event, line, answer }: PlacedEvent,
  { sourceId, message }: Extract<ImportedRow, { outcome: "error" }>,
): ImportError {
  return importErrorOf({ message, sourceId, line, answer }, event.time);
}
