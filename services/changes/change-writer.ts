/** Writes new and different events, and those that are withdrawn, as the chunks of a revision. */

import type { ClientBase } from "pg";
import { unknownCase } from "#contracts/cases.ts";
import { type EventIds, idsIn, idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { unpackBulletin } from "#infra/bulletins/packed-bulletin.ts";
import { readAhead } from "#infra/kernel/iteration.ts";
import { createChunkWriter, type EncodedChunk } from "#infra/log/chunks.ts";
import { copyBulletin } from "#projections/read/bulletins.ts";
import {
  copyExtraMember,
  copyKnownEvents,
  copyKnownIds,
  type KnownWhole,
} from "#projections/read/edits.ts";
import { updatedEvent, withKnown } from "#services/domain/bulletins/edits.ts";
import { changedNames } from "#services/domain/bulletins/view.ts";
import { type BoundName, touchedBounds } from "#services/domain/catalogues/catalogue.ts";
import {
  type EventIdentifier,
  type GivenIds,
  type KnownEvent,
  type KnownEvents,
  keepIdentity,
  knownEvents,
  NOTHING_KNOWN,
  takeIdentity,
} from "#services/domain/events/identity.ts";
import { isOlder, LAST_UPDATE, lastUpdate, WITHDRAWN_AT } from "#services/domain/imports/run.ts";
import { createBulletinView, packedForEvent } from "./bulletin-view.ts";
import {
  type BaseVersion,
  type Candidate,
  type Changes,
  type ChangeTarget,
  sameRecord,
} from "./revision-changes.ts";

/** Events per lookup. */
export const LOOKUP = 5_000;

/** Packed bulletins in a batch of candidates. */
export const MAX_BATCH_BYTES = 16 * 1024 * 1024;

type Given = Pick<Candidate, "record" | "bulletin">;

type Batches = AsyncIterable<readonly Candidate[]> | Iterable<readonly Candidate[]>;
type Write = (candidate: Candidate) => Promise<EncodedChunk | null> | EncodedChunk | null;
type Batch = { readonly candidates: readonly Candidate[]; readonly write: Write };

export type UpdateOptions = {
  /** Whether events of the batches update existing ones. */
  readonly updateExisting: boolean;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
  /** Whether they are messages of their source: they take nothing away, and one that came late changes nothing. */
  readonly areMessages?: boolean | undefined;
};

/** Receives the fate of each candidate. */
type ChangeListener = {
  readonly added: () => void;
  readonly updated: () => void;
  /** An event that its agency has no more was marked or removed. */
  readonly withdrawn: () => void;
  /** `existing`: the catalogue has the event and keeps its own; `unchanged`: it has an equal one. */
  readonly skipped: (reason: "existing" | "unchanged") => void;
};

const NOBODY: ChangeListener = { added() {}, updated() {}, withdrawn() {}, skipped() {} };

/**
 * Writes new and different events as the chunks of a revision (infra/decisions/0024).
 * @param connect opens a connection for lookups; called only for a catalogue with events
 */
export function createChangeWriter(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  { updateExisting, nowMs, areMessages = false }: UpdateOptions,
  identifier: Pick<EventIdentifier, "identify">,
  listener?: ChangeListener,
) {
  const { add, update, leave, ...recorded } = recordChanges(target, listener);
  const combine = createKnownCombiner(connect, target, { nowMs, areMessages });

  function writing<K extends KnownEvent>(
    known: KnownEvents<K>,
    ofKnown: (event: K, candidate: Candidate, newSourceId: string | null) => ReturnType<Write>,
  ): Write {
    return (candidate) => {
      const identified = identifier.identify(candidate.ids, known);
      switch (identified.outcome) {
        case "new":
          return add(candidate, identified.sourceId);
        case "known":
          return ofKnown(identified.event, candidate, null);
        case "renamed":
          return ofKnown(identified.event, candidate, identified.sourceId);
        case "unclear":
          return leave();
        default:
          return unknownCase(identified);
      }
    };
  }

  async function writerOf(ids: readonly GivenIds[]): Promise<Write> {
    if (!target.hasEvents) return writing(NOTHING_KNOWN, leave);
    const client = await connect();
    const all = ids.flatMap((one) => [one, ...(one.others ?? []).map(idsIn)]);
    if (!updateExisting)
      return writing(knownEvents(await copyKnownIds(client, target, all)), leave);
    const events = await copyKnownEvents(client, target, all);
    const told = areMessages ? await newestUpdates(client, target, events) : null;
    return writing(knownEvents(events), async (event, candidate, newSourceId) => {
      const isLate = told !== null && isOlder(lastUpdate(candidate.record.extra), told(event.id));
      if (isLate) return leave();
      const combined = unmarked(await combine(event, candidate), candidate);
      if (newSourceId === null) return update(event, combined);
      return update(event, combined, { sourceId: newSourceId, publicId: candidate.ids.publicId });
    });
  }

  /**
   * Compares candidates with the catalogue and yields each chunk of changes that is full. The next
   * batch, of at most LOOKUP candidates, is looked up while one is written.
   */
  const write = (batches: Batches) => writeAhead(batches, writerOf);
  return { write, ...recorded };
}

/** An event that comes again is not withdrawn, unless it says so itself. */
function unmarked(combined: Given, { record: { extra: given } }: Candidate): Given {
  const { [WITHDRAWN_AT]: mark, ...extra } = combined.record.extra ?? {};
  if (mark === undefined || given?.[WITHDRAWN_AT] !== undefined) return combined;
  return { ...combined, record: { ...combined.record, extra: extraOrNull(extra) } };
}

const extraOrNull = (extra: JsonObject) => (Object.keys(extra).length === 0 ? null : extra);

/** Writes and counts changes to the events of a version. */
export function recordChanges(target: ChangeTarget, listener: ChangeListener = NOBODY) {
  const writer = createChunkWriter();
  const touched = new Set<BoundName>();
  const goneIds: string[] = [];
  const renamed = new Set<string>();

  /** The bounds on which it lay may shrink. */
  function leavePlace(id: string, before: SeismicEventRecord): void {
    goneIds.push(id);
    for (const name of touchedBounds(target.bounds, before)) touched.add(name);
  }

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
      candidate: Given,
      newIds: EventIds | null = null,
    ): EncodedChunk | null {
      const { id, ...before } = event;
      const { record } = candidate;
      const identified =
        newIds === null ? keepIdentity(record, idsOf(before)) : takeIdentity(record, newIds);
      // Provenance comes from merges; submissions and agencies have none, so it is kept.
      const after = { ...identified, source_events: before.source_events };
      const { bulletin = null } = candidate;
      const isOther = bulletin !== null && bulletin.sha256 !== kept?.sha256;
      if (!isOther && sameRecord(before, after)) {
        listener.skipped("unchanged");
        return null;
      }
      listener.updated();
      leavePlace(id, before);
      if (newIds !== null) renamed.add(id);
      return writer.update(id, after, isOther ? bulletin : kept);
    },
    /** Removes an event of the catalogue, or gives it another row; counted where it is withdrawn by that. */
    withdraw(
      { event, bulletin }: Pick<KnownWhole, "event" | "bulletin">,
      after: SeismicEventRecord | null,
      isCounted: boolean,
    ): EncodedChunk | null {
      const { id, ...before } = event;
      if (isCounted) listener.withdrawn();
      leavePlace(id, before);
      return after === null ? writer.remove(id) : writer.update(id, after, bulletin);
    },
    /** Whether its agency calls the event otherwise since this revision. */
    isRenamed: (id: string): boolean => renamed.has(id),
    /** Keeps an existing event, or one that matches several existing ones. */
    leave(): null {
      listener.skipped("existing");
      return null;
    },
    /** The last chunk; null when no change is left. */
    finish: () => writer.finish(),
    changes: (): Changes => ({
      ...writer.counts(),
      bounds: writer.bounds(),
      touched: [...touched],
      goneIds: touched.size > 0 ? goneIds : [],
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

/**
 * Until when events were told of by messages: in any version, as rows that an import wrote since do not say.
 * @returns the newest update of an event by its id here, canonical; null for none
 */
async function newestUpdates(
  client: ClientBase,
  base: BaseVersion,
  events: readonly { readonly id: string }[],
): Promise<(id: string) => string | null> {
  const newest = new Map<string, string>();
  const ids = events.map(({ id }) => id);
  for await (const { id, value } of copyExtraMember(client, base, ids, LAST_UPDATE)) {
    const update = lastUpdate({ [LAST_UPDATE]: value });
    const known = newest.get(id);
    if (update !== null && (known === undefined || isOlder(known, update))) newest.set(id, update);
  }
  return (id) => newest.get(id) ?? null;
}

/**
 * A function that says what becomes of a known event that comes again. Only where it has a bulletin and
 * something differs, that is read.
 * @param connect opens a connection for the bulletins
 */
function createKnownCombiner(
  connect: () => Promise<ClientBase>,
  target: ChangeTarget,
  { nowMs, areMessages }: Pick<UpdateOptions, "nowMs" | "areMessages">,
): (known: KnownWhole, given: Given) => Promise<Given> {
  const view = createBulletinView(nowMs);
  const at = new Date(nowMs).toISOString();

  return async ({ event, bulletin: kept }, given) => {
    const { id: eventId, ...record } = event;
    if (kept === null) return areMessages ? { record: withKnown(record, given.record) } : given;
    if (given.bulletin?.sha256 === kept.sha256) return given;
    if (!given.bulletin) {
      const after = withKnown(record, given.record);
      if (changedNames(record, after).size === 0) return { record: after };
    }
    const bulletin = await copyBulletin(await connect(), target, eventId);
    const submitted = {
      record: given.record,
      bulletin: given.bulletin ? unpackBulletin(given.bulletin.pieces) : null,
    };
    const ofSource = areMessages && { at: lastUpdate(given.record.extra) ?? at, isOfSource: true };
    const signature = { eventId, version: target.nextVersion, at, ...ofSource };
    const combined = updatedEvent({ record, bulletin }, submitted, signature, view);
    if (combined.bulletin === submitted.bulletin) return given;
    return {
      record: combined.record,
      bulletin: combined.bulletin && (await packedForEvent(combined.bulletin)),
    };
  };
}
