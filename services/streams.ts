/** Decisions on streams of the log: load the state, decide, append. */

import type { Logger } from "pino";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { StoredMetadata } from "#contracts/catalogue-metadata.ts";
import { Refusal, RetryLater } from "#contracts/errors.ts";
import { Bounds, type CatalogueEvent, RevisionCause } from "#contracts/events/catalogues.ts";
import { ScheduleSettings } from "#contracts/events/imports.ts";
import { catalogueStream, type PROJECTIONS } from "#contracts/events/log.ts";
import { Editing, MemberKind, MemberRight } from "#contracts/rights.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import {
  type DomainEvent,
  fromRecorded,
  type Origin,
  toNewEvents,
} from "#infra/log/domain-events.ts";
import {
  Ambiguous,
  type Appended,
  type EventLog,
  type NewEvent,
  NO_STREAM,
  type Position,
  type RecordedEvent,
  WrongExpectedRevision,
} from "#infra/log/event-log.ts";
import { isVisible } from "#projections/engine/progress.ts";
import { isBeingUndone, presentRevision } from "#projections/read/edits.ts";
import {
  ABSENT,
  type CatalogueState,
  type ExistingCatalogue,
  evolve,
  existing,
} from "#services/domain/catalogues/catalogue.ts";
import { merged } from "#services/domain/merges/decisions.ts";
import type { BaseVersion } from "./changes/revision-changes.ts";
import type { Command, CommandContext, KeptStates, StreamState } from "./context.ts";

/** How to fold a kind of decision stream. */
export type DecisionModel<S, E extends DomainEvent> = {
  readonly initial: S;
  /** @param recordedAt when the log stored the event; null for one that is not stored yet */
  readonly evolve: (state: S, event: E, recordedAt: string | null) => S;
  /** Absent for short streams, which are read whole. */
  readonly memory?: KeptStates<S>;
};

export type Decided<S, E> = {
  readonly state: S;
  readonly events: readonly E[];
  /** Position of the events; null when the decision made none. */
  readonly position: Position | null;
};

export type DecisionOptions = {
  /** Assume a new stream without reading it; the append shows whether it is. */
  readonly isNew?: boolean;
};

/** How often a decision is repeated after another writer came first. */
const MAX_DECISIONS = 20;

/**
 * Loads a stream, decides on its state and appends the events; starts again when another writer came
 * first. The returned state includes the new events. For a retried command, the decision of its
 * earlier run on the stream stands.
 * @throws refusals of `decide`; Ambiguous and Unavailable of the log
 */
export async function decideOnStream<S, E extends DomainEvent>(
  context: Pick<CommandContext, "log" | "now">,
  command: Command,
  stream: string,
  model: DecisionModel<S, E>,
  decide: (state: S) => readonly E[],
  { isNew = false }: DecisionOptions = {},
): Promise<Decided<S, E>> {
  const origin: Origin = { commandId: command.id, actor: command.actor, at: context.now() };
  for (let attempt = 1; ; attempt += 1) {
    const { state, revision } =
      isNew && attempt === 1 && !command.retried
        ? { state: model.initial, revision: NO_STREAM }
        : await loadState(context.log, stream, model);
    const earlier = command.retried
      ? await eventsOfCommand(context, stream, revision, command.id)
      : [];
    const last = earlier.at(-1);
    if (last) return { state, events: earlier.map(fromRecorded) as E[], position: last.position };
    const events = decide(state);
    if (events.length === 0) return { state, events, position: null };
    const added = toNewEvents(stream, revision + 1, events, origin);
    try {
      const { position } = await appendSafely(context.log, stream, revision, added);
      return {
        state: events.reduce((before, event) => model.evolve(before, event, null), state),
        events,
        position,
      };
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision) || attempt === MAX_DECISIONS) throw error;
    }
  }
}

/** Events per read of a stream. */
const READ_PAGE = 500;

/** The present state of a decision stream: a kept one with all events after it. */
export async function loadState<S, E extends DomainEvent>(
  log: Pick<EventLog, "read">,
  stream: string,
  { initial, evolve, memory }: DecisionModel<S, E>,
): Promise<StreamState<S>> {
  const known = (await memory?.find(stream)) ?? null;
  const after = known && (await readOn(log, stream, evolve, known));
  if (after !== null && after.revision === known?.revision) return after;
  const beginning = { state: initial, revision: NO_STREAM, eventId: null };
  const present = after ?? (await readOn(log, stream, evolve, beginning)) ?? beginning;
  if (present.revision !== NO_STREAM) await memory?.keep(stream, present);
  return present;
}

/**
 * The state after the rest of the stream; null where the stream has another event at the state's
 * place: the state is of another log, or of an older copy of this one.
 */
async function readOn<S, E extends DomainEvent>(
  log: Pick<EventLog, "read">,
  stream: string,
  evolve: DecisionModel<S, E>["evolve"],
  from: StreamState<S>,
): Promise<StreamState<S> | null> {
  let { state, revision, eventId } = from;
  let isSame = eventId === null;
  // Its own last event is read again, to be compared.
  for await (const page of pagesFrom(log, stream, Math.max(revision, 0))) {
    for (const recorded of page) {
      if (recorded.revision === from.revision) {
        isSame = recorded.id === from.eventId;
        continue;
      }
      if (!isSame) return null;
      state = evolve(state, fromRecorded(recorded) as E, recorded.recordedAt);
      ({ revision, id: eventId } = recorded);
    }
    if (!isSame) return null;
  }
  return { state, revision, eventId };
}

/** The events of a stream from a revision on, in pages, of which the last may be empty. */
export async function* pagesFrom(
  log: Pick<EventLog, "read">,
  stream: string,
  revision: number,
): AsyncGenerator<readonly RecordedEvent[]> {
  for (let next = revision; ; next += READ_PAGE) {
    const page = await log.read(stream, next, READ_PAGE);
    yield page;
    if (page.length < READ_PAGE) return;
  }
}

/** Ambiguous appends are repeated unchanged, which their event ids make safe. */
const MAX_APPENDS = 3;
/**
 * For an append with its retries: with the 4 s of a read before it, a request is answered within 10 s even if the log
 * is blocked.
 */
const APPEND_MS = 5_000;

/** Appends; an append with an unknown outcome is repeated for a while, which its event ids make safe. */
export async function appendSafely(
  log: EventLog,
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): Promise<Appended> {
  const endsAt = performance.now() + APPEND_MS;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const timeoutMs = Math.max(1, Math.round(endsAt - performance.now()));
      return await log.append(stream, expectedRevision, events, { timeoutMs });
    } catch (error) {
      const isLast = attempt === MAX_APPENDS || performance.now() >= endsAt;
      if (!(error instanceof Ambiguous) || isLast) throw error;
    }
  }
}

/**
 * A command may be retried for a day after its first run (the lifetime of an idempotency key); the
 * rest is for clocks that differ, and for runs that last.
 */
const RETRIED_FOR_MS = 48 * 60 * 60 * 1000;

/**
 * The events that an earlier run of a command has written to a decision stream, in order.
 * @param revision the last one of the stream
 */
export async function eventsOfCommand(
  { log, now }: Pick<CommandContext, "log" | "now">,
  stream: string,
  revision: number,
  commandId: string,
): Promise<RecordedEvent[]> {
  const since = new Date(now().getTime() - RETRIED_FOR_MS).toISOString();
  const written: RecordedEvent[] = [];
  for (let end = revision + 1; end > 0; end -= READ_PAGE) {
    const from = Math.max(0, end - READ_PAGE);
    const page = await log.read(stream, from, end - from);
    written.unshift(...page.filter(({ metadata }) => metadata.commandId === commandId));
    if ((page[0]?.recordedAt ?? "") < since) break;
  }
  return written;
}

/** Decides on streams of one kind; resolves when the change can be read. */
export function createDecider<S, E extends DomainEvent>(
  projection: keyof typeof PROJECTIONS,
  streamOf: (id: string) => string,
  model: DecisionModel<S, E>,
) {
  return async (
    context: CommandContext,
    command: Command,
    id: string,
    decide: (state: S) => readonly E[],
  ): Promise<Decided<S, E>> => {
    const decided = await decideOnStream(context, command, streamOf(id), model, decide);
    await context.untilVisible(projection, decided.position);
    return decided;
  };
}

type CatalogueContext = Pick<CommandContext, "log" | "now" | "catalogueStates">;

/** The catalogue by the log's present state, independent of the read model. */
export function loadCatalogue(
  { log, catalogueStates: memory }: Pick<CatalogueContext, "log" | "catalogueStates">,
  catalogueId: string,
): Promise<StreamState<CatalogueState>> {
  return loadState(log, catalogueStream(catalogueId), { initial: ABSENT, evolve, memory });
}

/** Decides on one catalogue and appends the events. */
export function decideOnCatalogue(
  context: CatalogueContext,
  command: Command,
  catalogueId: string,
  decide: (state: CatalogueState) => readonly CatalogueEvent[],
): Promise<Decided<CatalogueState, CatalogueEvent>> {
  const model = { initial: ABSENT, evolve, memory: context.catalogueStates };
  return decideOnStream(context, command, catalogueStream(catalogueId), model, decide);
}

/** The same; resolves when the change can be read. */
export async function changeCatalogue(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  decide: (state: CatalogueState) => readonly CatalogueEvent[],
): Promise<Decided<CatalogueState, CatalogueEvent>> {
  const decided = await decideOnCatalogue(context, command, catalogueId, decide);
  await context.untilVisible("catalogues", decided.position);
  return decided;
}

/** Whether the catalogue is unchanged since the client read it (`If-Match`); null for no condition. */
export type Precondition = ((catalogue: ExistingCatalogue) => boolean) | null;

/** @throws Refusal NOT_FOUND, PRECONDITION_FAILED */
export function requireTag(state: CatalogueState, precondition: Precondition): void {
  const catalogue = existing(state);
  if (precondition && !precondition(catalogue)) {
    throw new Refusal("PRECONDITION_FAILED", "The catalogue has changed since it was read");
  }
}

/**
 * Until a revision that was given up is undone in the read model, events that it had ended cannot be found, and the next
 * one cannot be written.
 * @throws Refusal CONFLICT where that takes a while
 */
export async function requireUndone(
  context: Pick<CommandContext, "log" | "pool" | "untilVisible">,
  catalogueId: string,
  { state, revision }: StreamState<CatalogueState>,
): Promise<void> {
  if (state.status !== "existing" || state.lastRevision === state.version) return;
  const [last] = await context.log.read(catalogueStream(catalogueId), revision, 1);
  await untilCurrent(context, "catalogues", last?.position ?? null);
  if (await isBeingUndone(context.pool, catalogueId)) {
    const told = "An earlier change of this catalogue was given up and is being undone";
    throw new RetryLater("CONFLICT", told, 1);
  }
}

/**
 * Resolves when the read model has applied `position`, where a change is to be based on it.
 * @throws RetryLater UNAVAILABLE where that takes too long: other than after an append, nothing is changed then
 */
export async function untilCurrent(
  { untilVisible }: Pick<CommandContext, "untilVisible">,
  projection: keyof typeof PROJECTIONS,
  position: Position | null,
): Promise<void> {
  if (await isVisible(untilVisible(projection, position))) return;
  throw new RetryLater("UNAVAILABLE", "Earlier changes are not visible yet; nothing was changed");
}

/**
 * The read model at the log's latest version; waits until it has caught up.
 * @throws Refusal NOT_FOUND, CONFLICT
 */
export async function baseOf(
  context: CommandContext,
  { catalogueId, version }: ExistingCatalogue,
): Promise<BaseVersion> {
  const present = await presentRevision(context.pool, catalogueId);
  if (present?.version === version) return present;
  await untilCurrent(context, "catalogues", await context.log.head());
  const caughtUp = await presentRevision(context.pool, catalogueId);
  if (caughtUp === null) throw new Refusal("NOT_FOUND", "Catalogue not found");
  // A parked event blocks the read model, so an edit would be based on outdated events.
  if (caughtUp.version < version) {
    throw new Refusal("CONFLICT", "The catalogue is in error and cannot be changed until repaired");
  }
  return caughtUp;
}

/** Events of a change in one append, so that it is far below an append's limit. */
const PER_APPEND = 5;

/**
 * Appends a change of a merge's decisions, in parts; a repeated command appends what is missing still.
 * @param events as `decisionEvents` gives them
 * @returns position of the last one; null where nothing changes
 */
export async function appendDecisions(
  context: CatalogueContext,
  command: Command,
  catalogueId: string,
  events: Iterable<CatalogueEvent> | AsyncIterable<CatalogueEvent>,
): Promise<Position | null> {
  const anew = { ...command, retried: false };
  let last: Position | null = null;
  let part: CatalogueEvent[] = [];
  const append = async (): Promise<void> => {
    const { position } = await decideOnCatalogue(context, anew, catalogueId, (state) => {
      merged(state);
      return part;
    });
    last = position;
    part = [];
  };
  for await (const event of events) {
    part.push(event);
    if (part.length === PER_APPEND) await append();
  }
  if (part.length > 0) await append();
  return last;
}

/** Of what `evolve` makes of events, and of the form of a state: a test tells the new one where either changes. */
export const SHAPE = 1_722_315_534;

/** Catalogues whose states are in memory; some kilobytes each. */
const MAX_IN_MEMORY = 1_000;

/** A state in the table is this many events old at most, so reading them is one or two reads. */
const STORE_EVERY = 500;

const Open = z.object({
  revision: z.int(),
  cause: RevisionCause,
  worker: z.string(),
  importId: z.string().nullable(),
});

const Existing = z.object({
  status: z.literal("existing"),
  catalogueId: z.string(),
  name: z.string(),
  publicFrom: z.int().nullable(),
  isRestricted: z.boolean(),
  editing: Editing,
  members: z
    .array(z.tuple([z.string(), z.object({ kind: MemberKind, right: MemberRight })]))
    .transform((all) => new Map(all)),
  version: z.int(),
  lastRevision: z.int(),
  open: Open.nullable(),
  parts: z.boolean(),
  eventCount: z.int(),
  bounds: Bounds,
  contentHash: z.string(),
  metadata: StoredMetadata.nullable(),
  shares: z.array(z.tuple([z.string(), z.string().nullable()])).transform((all) => new Map(all)),
  sources: z.array(z.string()).nullable(),
  decided: z.int(),
  schedules: z.array(z.tuple([z.string(), ScheduleSettings])).transform((all) => new Map(all)),
});

const StoredState = z.discriminatedUnion("status", [
  z.object({ status: z.literal("absent") }),
  z.object({ status: z.literal("deleted") }),
  Existing,
]);

const Row = z.object({ state: StoredState, revision: z.int(), eventId: z.string() });

/**
 * The states of catalogues: those asked for last in memory, and of long streams one in a table, which
 * other processes and later ones begin with. They need not agree: a state tells what it covers. Where the
 * table cannot be read or written, the stream is read.
 */
export function createCatalogueStates(
  pool: Pick<CommonQueryMethods, "maybeOne" | "query">,
  logger: Pick<Logger, "warn">,
  storeEvery: number = STORE_EVERY,
): KeptStates<CatalogueState> {
  /** Each with the revision in the table. */
  const recent = createRecent<{ state: StreamState<CatalogueState>; stored: number }>(
    MAX_IN_MEMORY,
  );
  const tell = (err: unknown) => logger.warn({ err }, "states of catalogues cannot be kept");

  return {
    async find(stream) {
      const known = recent.get(stream);
      if (known !== undefined) return recent.keep(stream, known).state;
      const reading = pool.maybeOne(sql.type(Row)`
        select state, revision, event_id as "eventId" from coordination.catalogue_states
        where stream = ${stream} and shape = ${SHAPE}`);
      const state = await reading.catch((error) => {
        tell(error);
        return null;
      });
      if (state !== null) recent.keep(stream, { state, stored: state.revision });
      return state;
    },
    async keep(stream, present) {
      const { state, revision, eventId } = present;
      const stored = recent.get(stream)?.stored ?? 0;
      const isStored = Math.abs(revision - stored) < storeEvery;
      recent.keep(stream, { state: present, stored: isStored ? stored : revision });
      if (isStored) return;
      const storing = pool.query(sql.unsafe`
        insert into coordination.catalogue_states (stream, shape, revision, event_id, state)
        values (${stream}, ${SHAPE}, ${revision}, ${eventId}, ${storedForm(state)})
        on conflict (stream) do update set shape = excluded.shape, revision = excluded.revision,
          event_id = excluded.event_id, state = excluded.state`);
      await storing.catch(tell);
    },
  };
}

/** A state as the table has it: JSON, with maps as lists. */
export function storedForm(state: CatalogueState): string {
  return JSON.stringify(state, (_, value) => (value instanceof Map ? [...value] : value));
}
