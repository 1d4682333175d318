import type { ClientBase } from "pg";
import { type EventIds, idsOf } from "#contracts/seismic-event/public-id.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/event-log/chunk-writer.ts";
import { readAhead } from "#infra/kernel/async-iterables.ts";
import {
  copyKnownEvents,
  copyKnownIds,
  type KnownWhole,
} from "#projections/queries/edits/read-known-events.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import type { EventIdentifier } from "#services/domain/identity/identify-events.ts";
import {
  type KnownEvent,
  type KnownEvents,
  keepIdentity,
  knownEvents,
  NOTHING_KNOWN,
} from "#services/domain/identity/known-events.ts";
import type { Candidate } from "./candidate.ts";
import { createKnownCombiner } from "./combine-known.ts";
import { type Changes, type ChangeTarget, sameRecord } from "./revision-changes.ts";

/** Events per lookup. */
export const LOOKUP = 5_000;

/** Packed bulletins in a batch of candidates. */
export const MAX_BATCH_BYTES = 16 * 1024 * 1024;

type Batches = AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>;
type Write = (candidate: Candidate) => Promise<EncodedChunk | null> | EncodedChunk | null;
type Batch = { readonly candidates: readonly Candidate[]; readonly write: Write };

export type UpdateOptions = {
  /** Whether events of the batches update existing ones. */
  readonly updateExisting: boolean;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
};

/** Receives the fate of each candidate. */
type ChangeListener = {
  readonly added: () => void;
  readonly updated: () => void;
  /** `existing`: the catalogue has the event and keeps its own; `unchanged`: it has an equal one. */
  readonly skipped: (reason: "existing" | "unchanged") => void;
};

const NOBODY: ChangeListener = { added() {}, updated() {}, skipped() {} };

/**
 * Writes new and different events as the chunks of a revision (infra/decisions/0024).
 * @param connect opens a connection for lookups; called only for a catalogue with events
 */
export function createChangeWriter(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  { updateExisting, nowMs }: UpdateOptions,
  identifier: Pick<EventIdentifier, "identify">,
  listener?: ChangeListener,
) {
  const { add, update, leave, finish, changes } = recordChanges(target, listener);
  const combine = createKnownCombiner(connect, target, nowMs);

  function writing<K extends KnownEvent>(
    known: KnownEvents<K>,
    ofKnown: (event: K, candidate: Candidate) => ReturnType<Write>,
  ): Write {
    return (candidate) => {
      const identified = identifier.identify(candidate.ids, known);
      switch (identified.outcome) {
        case "new":
          return add(candidate, identified.sourceId);
        case "known":
          return ofKnown(identified.event, candidate);
        case "unclear":
          return leave();
        default:
          return unknownCase(identified);
      }
    };
  }

  async function writerOf(ids: readonly EventIds[]): Promise<Write> {
    if (!target.hasEvents) return writing(NOTHING_KNOWN, leave);
    const client = await connect();
    if (!updateExisting)
      return writing(knownEvents(await copyKnownIds(client, target, ids)), leave);
    const known = knownEvents(await copyKnownEvents(client, target, ids));
    return writing(known, async (event, candidate) =>
      update(event, await combine(event, candidate)),
    );
  }

  /**
   * Compares candidates with the catalogue and yields each chunk of changes that is full. The next
   * batch, of at most LOOKUP candidates, is looked up while one is written.
   */
  const write = (batches: Batches) => writeAhead(batches, writerOf);
  return { write, finish, changes };
}

/** Writes and counts changes to the events of a version. */
export function recordChanges(target: ChangeTarget, listener: ChangeListener = NOBODY) {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const updatedIds: string[] = [];
  return {
    add({ record, bulletin = null }: Candidate, sourceId: string | null): EncodedChunk | null {
      listener.added();
      const isNamed = record.source_id === sourceId;
      return writer.add(isNamed ? record : { ...record, source_id: sourceId }, bulletin);
    },
    /**
     * Replaces an event of the catalogue, and its bulletin where there is a new one, if anything of it
     * differs.
     */
    update(
      { event, bulletin: kept }: Pick<KnownWhole, "event" | "bulletin">,
      candidate: Pick<Candidate, "record" | "bulletin">,
    ): EncodedChunk | null {
      const { id, ...before } = event;
      // Provenance comes from merges; submissions and agencies have none, so it is kept.
      const identified = keepIdentity(candidate.record, idsOf(before));
      const after = { ...identified, source_events: before.source_events };
      const { bulletin = null } = candidate;
      const isOther = bulletin !== null && bulletin.sha256 !== kept?.sha256;
      if (!isOther && sameRecord(before, after)) {
        listener.skipped("unchanged");
        return null;
      }
      listener.updated();
      updatedIds.push(id);
      for (const name of touchedBounds(target.bounds, before)) touched.add(name);
      return writer.update(id, after, isOther ? bulletin : kept);
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

async function* writeAhead(
  batches: Batches,
  writerOf: (ids: readonly EventIds[]) => Promise<Write>,
): AsyncGenerator<EncodedChunk> {
  async function* lookedUp(): AsyncGenerator<Batch> {
    for await (const candidates of batches) {
      yield { candidates, write: await writerOf(candidates.map(({ ids }) => ids)) };
    }
  }

  for await (const { candidates, write } of readAhead(lookedUp())) {
    for (const candidate of candidates) {
      const chunk = await write(candidate);
      if (chunk !== null) yield chunk;
    }
  }
}
