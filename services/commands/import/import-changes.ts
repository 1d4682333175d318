import type { ClientBase } from "pg";
import type { Bounds } from "#contracts/domain-events/catalogue-events.ts";
import type { ImportError } from "#contracts/import-run.ts";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import type { PlacedEvent } from "#infra/agency/agency-event.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { copyKnownEvents, copyKnownIds } from "#projections/queries/known-events.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import {
  createEventIdentifier,
  type GivenEvent,
} from "#services/domain/identity/identify-events.ts";
import { keepIdentity } from "#services/domain/identity/keep-identity.ts";
import {
  type KnownEvent,
  type KnownEvents,
  knownEvents,
  NOTHING_KNOWN,
} from "#services/domain/identity/known-events.ts";
import { createImportedReader, type ImportedRow } from "#services/domain/import/read-imported.ts";
import { sameRecord } from "../catalogues/add-events.ts";
import type { BaseVersion } from "../catalogues/edit.ts";
import { importErrorOf } from "./import-error.ts";
import type { Tally } from "./import-tally.ts";

/** Events that are looked up at once. */
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

type Candidate = { readonly ids: GivenEvent; readonly record: SeismicEventRecord };

/** How an event is written; the chunk that it fills, if any. */
type Write = (candidate: Candidate) => EncodedChunk | null;

export type ChangeWriter = {
  /** Takes the events that the agency has given, and gives the chunks that are full with them. */
  readonly take: (given: readonly PlacedEvent[]) => AsyncGenerator<EncodedChunk>;
  /** The last chunk, null when nothing is left. */
  readonly finish: () => EncodedChunk | null;
  readonly changes: () => ImportedChanges;
};

/**
 * Compares what the agency gives with what the catalogue has, and writes what is new or different.
 * An event that has come in this run already is passed over: windows and boxes meet at their edges.
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
  const identifier = createEventIdentifier();
  const touched = new Set<BoundName>();
  const updatedIds: string[] = [];

  function candidates(given: readonly PlacedEvent[]): Candidate[] {
    const found: Candidate[] = [];
    for (const placed of given) {
      const imported = read(placed.event);
      const { outcome } = imported;
      const ids = identifier.take(imported.ids);
      if (ids === null) continue;
      if (outcome === "event") found.push({ ids, record: imported.record });
      else if (outcome !== "error") tally.skipped(outcome);
      else tally.failed(errorOf(placed, imported));
    }
    return found;
  }

  function update({ id, ...before }: SeismicEvent, given: SeismicEventRecord) {
    // Where an event comes from is told by merges, and no agency knows of it.
    const kept = keepIdentity(given, idsOf(before));
    const after = { ...kept, source_events: before.source_events };
    if (sameRecord(before, after)) {
      tally.skipped("unchanged");
      return null;
    }
    tally.updated();
    updatedIds.push(id);
    for (const name of touchedBounds(target.bounds, before)) touched.add(name);
    return writer.update(id, after);
  }

  function add(given: SeismicEventRecord, sourceId: string | null) {
    tally.added();
    return writer.add(given.source_id === sourceId ? given : { ...given, source_id: sourceId });
  }

  /** An event that is there, or is one of those that are, stays as it is. */
  function leave(): null {
    tally.skipped("existing");
    return null;
  }

  function writing<K extends KnownEvent>(
    known: KnownEvents<K>,
    ofKnown: (event: K, given: SeismicEventRecord) => EncodedChunk | null,
  ): Write {
    return ({ ids, record }) => {
      const identified = identifier.identify(ids, known);
      switch (identified.outcome) {
        case "new":
          return add(record, identified.sourceId);
        case "known":
          return ofKnown(identified.event, record);
        case "unclear":
          return leave();
        default: {
          const unknown: never = identified;
          throw new Error(`unknown outcome: ${JSON.stringify(unknown)}`);
        }
      }
    };
  }

  async function writerOf(given: readonly EventIds[]): Promise<Write> {
    if (!target.hasEvents) return writing(NOTHING_KNOWN, leave);
    if (!target.updateExisting) {
      return writing(knownEvents(await copyKnownIds(client, target, given)), leave);
    }
    const known = knownEvents(await copyKnownEvents(client, target, given));
    return writing(known, ({ event }, record) => update(event, record));
  }

  return {
    async *take(given) {
      for (let start = 0; start < given.length; start += LOOKUP) {
        const found = candidates(given.slice(start, start + LOOKUP));
        const write = await writerOf(found.map(({ ids }) => ids));
        for (const candidate of found) {
          const chunk = write(candidate);
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
  { ids: { sourceId }, message }: Extract<ImportedRow, { outcome: "error" }>,
): ImportError {
  return importErrorOf({ message, sourceId, line, answer }, event.time);
}
