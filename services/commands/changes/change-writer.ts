import type { ClientBase } from "pg";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { readAhead } from "#infra/kernel/async-iterables.ts";
import { copyKnownEvents, copyKnownIds } from "#projections/queries/edits/read-known-events.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import type { EventIdentifier } from "#services/domain/identity/identify-events.ts";
import {
  type KnownEvent,
  type KnownEvents,
  keepIdentity,
  knownEvents,
  NOTHING_KNOWN,
} from "#services/domain/identity/known-events.ts";
import type { StoredIds } from "#services/domain/identity/settled-ids.ts";
import { type Changes, type ChangeTarget, sameRecord } from "./changes.ts";

/** Events per lookup. */
export const LOOKUP = 5_000;

/** An event whose ids have not come before. */
export type Candidate = { readonly ids: StoredIds; readonly record: SeismicEventRecord };

/** Receives the fate of each candidate. */
export type ChangeListener = {
  readonly added: () => void;
  readonly updated: () => void;
  /** `existing`: the catalogue has the event and keeps its own; `unchanged`: it has an equal one. */
  readonly skipped: (reason: "existing" | "unchanged") => void;
};

const NOBODY: ChangeListener = { added() {}, updated() {}, skipped() {} };

type Write = (candidate: Candidate) => EncodedChunk | null;
type Batch = { readonly candidates: readonly Candidate[]; readonly write: Write };

export type ChangeWriter = {
  /**
   * Compares candidates with the catalogue and yields each chunk of changes that is full. The next
   * batch, of at most LOOKUP candidates, is looked up while one is written.
   */
  readonly write: (
    batches: AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>,
  ) => AsyncGenerator<EncodedChunk>;
  /** The last chunk; null when no change is left. */
  readonly finish: () => EncodedChunk | null;
  readonly changes: () => Changes;
};

/**
 * Writes new and different events as the chunks of a revision (infra/decisions/0024).
 * @param connect opens a connection for lookups; called only for a catalogue with events
 * @param updateExisting whether given events replace existing ones
 */
export function createChangeWriter(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  updateExisting: boolean,
  identifier: Pick<EventIdentifier, "identify">,
  listener: ChangeListener = NOBODY,
): ChangeWriter {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const updatedIds: string[] = [];

  function update({ id, ...before }: SeismicEvent, given: SeismicEventRecord) {
    // Provenance comes from merges; submissions and agencies have none, so it is kept.
    const kept = keepIdentity(given, idsOf(before));
    const after = { ...kept, source_events: before.source_events };
    if (sameRecord(before, after)) {
      listener.skipped("unchanged");
      return null;
    }
    listener.updated();
    updatedIds.push(id);
    for (const name of touchedBounds(target.bounds, before)) touched.add(name);
    return writer.update(id, after);
  }

  function add(given: SeismicEventRecord, sourceId: string | null) {
    listener.added();
    return writer.add(given.source_id === sourceId ? given : { ...given, source_id: sourceId });
  }

  /** Keeps an existing event, or one that matches several existing ones. */
  function leave(): null {
    listener.skipped("existing");
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
        default:
          return unknownCase(identified);
      }
    };
  }

  async function writerOf(given: readonly EventIds[]): Promise<Write> {
    if (!target.hasEvents) return writing(NOTHING_KNOWN, leave);
    const client = await connect();
    if (!updateExisting) {
      return writing(knownEvents(await copyKnownIds(client, target, given)), leave);
    }
    const known = knownEvents(await copyKnownEvents(client, target, given));
    return writing(known, ({ event }, record) => update(event, record));
  }

  async function* lookedUp(
    batches: AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>,
  ): AsyncGenerator<Batch> {
    for await (const candidates of batches) {
      yield { candidates, write: await writerOf(candidates.map(({ ids }) => ids)) };
    }
  }

  return {
    async *write(batches) {
      for await (const { candidates, write } of readAhead(lookedUp(batches))) {
        for (const candidate of candidates) {
          const chunk = write(candidate);
          if (chunk !== null) yield chunk;
        }
      }
    },
    finish: () => writer.finish(),
    changes: () => ({
      ...writer.counts(),
      bounds: writer.bounds(),
      touched: [...touched],
      goneIds: touched.size > 0 ? updatedIds : [],
    }),
  };
}
