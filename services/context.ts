import type { KeyObject } from "node:crypto";
import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import { RetryLater } from "#contracts/errors.ts";
import type { PROJECTIONS } from "#contracts/events/log.ts";
import { createRecent } from "#infra/kernel/recent.ts";
import { type DomainEvent, fromRecorded } from "#infra/log/domain-events.ts";
import { type EventLog, NO_STREAM, type Position } from "#infra/log/event-log.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { Passwords } from "#infra/vault/password-hash.ts";
import { NotVisibleYet } from "#projections/engine/progress.ts";
import type { CatalogueState } from "#services/domain/catalogues/catalogue.ts";

/** A request for a change. Its id determines the ids of its events, so that a retry repeats nothing. */
export type Command = {
  /** UUID. */
  readonly id: string;
  /** User id of the requester, or `system`. */
  readonly actor: string;
  /** Why, in the requester's words; for changes of events. */
  readonly reason?: string;
  /** An earlier run of the same command may have written events; its decisions stand. */
  readonly retried?: boolean;
};

/** The dependencies of command handlers. */
export type CommandContext = {
  readonly log: EventLog;
  readonly pool: DatabasePool;
  /**
   * Resolves when the read model has applied `position`, so that the client's next read shows the
   * change; at once where nothing was appended (null).
   * @throws NotVisibleYet
   */
  readonly untilVisible: (
    projection: keyof typeof PROJECTIONS,
    position: Position | null,
  ) => Promise<void>;
  /** Presence key of this process. */
  readonly worker: string;
  readonly revisionsInProgress: RevisionsInProgress;
  readonly catalogueStates: KeptStates<CatalogueState>;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
};

/**
 * Resolves when the read model has applied `position`, where a change is to be based on it.
 * @throws RetryLater UNAVAILABLE where that takes too long: other than after an append, nothing is changed then
 */
export async function untilCurrent(
  { untilVisible }: Pick<CommandContext, "untilVisible">,
  projection: keyof typeof PROJECTIONS,
  position: Position | null,
): Promise<void> {
  try {
    await untilVisible(projection, position);
  } catch (error) {
    if (!(error instanceof NotVisibleYet)) throw error;
    const told = "Earlier changes are not visible yet; nothing was changed";
    throw new RetryLater("UNAVAILABLE", told);
  }
}

/**
 * The catalogues for which this process is writing revisions; the sweep for abandoned ones skips
 * them.
 */
export type RevisionsInProgress = {
  readonly has: (catalogueId: string) => boolean;
  /** Runs `work`, which opens and writes a revision of the catalogue. */
  readonly during: <T>(catalogueId: string, work: () => Promise<T>) => Promise<T>;
};

export function createRevisionsInProgress(): RevisionsInProgress {
  const writers = new Map<string, number>();
  const count = (catalogueId: string, change: number): void => {
    const writing = (writers.get(catalogueId) ?? 0) + change;
    if (writing === 0) writers.delete(catalogueId);
    else writers.set(catalogueId, writing);
  };
  return {
    has: (catalogueId) => writers.has(catalogueId),
    during: async (catalogueId, work) => {
      count(catalogueId, 1);
      try {
        return await work();
      } finally {
        count(catalogueId, -1);
      }
    },
  };
}

/** The context of account commands; `emailKey` makes pseudonyms of addresses (see vault/secrets). */
export type AccountContext = CommandContext & {
  readonly emailKey: KeyObject;
  readonly passwords: Passwords;
  /** For the lookups of every sign-in. */
  readonly lookups: Lookups;
  /** For the vault's writes in every registration and sign-in. */
  readonly vault: Statements;
  readonly failedRegistrations: FailedRegistrations;
};

/** Users whose registration failed in this process; their addresses may be taken over at once. */
export type FailedRegistrations = {
  readonly has: (userId: string) => boolean;
  readonly add: (userId: string) => void;
};

/** @param max users; beyond them the one added longest ago is evicted */
export function createFailedRegistrations(max: number): FailedRegistrations {
  const users = createRecent<true>(max);
  return {
    has: (userId) => users.get(userId) === true,
    add: (userId) => void users.keep(userId, true),
  };
}

/** Events per read of a stream. */
export const READ_PAGE = 500;

export type StreamState<S> = {
  readonly state: S;
  readonly revision: number;
  /** Of that event, by which the stream is recognised; null without one. */
  readonly eventId: string | null;
};

/** Remembers states of streams. A state that is not the latest costs time, and nothing else. */
export type KeptStates<S> = {
  readonly find: (stream: string) => Promise<StreamState<S> | null>;
  /** Keeps the state of a stream that has just been read, or written. */
  readonly keep: (stream: string, state: StreamState<S>) => Promise<void>;
};

/** How to fold a kind of decision stream. */
export type DecisionModel<S, E extends DomainEvent> = {
  readonly initial: S;
  /** @param recordedAt when the log stored the event; null for one that is not stored yet */
  readonly evolve: (state: S, event: E, recordedAt: string | null) => S;
  /** Absent for short streams, which are read whole. */
  readonly memory?: KeptStates<S>;
};

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
  // Its own last event is read again, to be compared.
  let next = Math.max(revision, 0);
  let isSame = eventId === null;
  while (true) {
    const page = await log.read(stream, next, READ_PAGE);
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
    if (page.length < READ_PAGE) return { state, revision, eventId };
    next = revision + 1;
  }
}
