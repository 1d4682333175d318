/** What commands are given: who asks for what, and what carries it out. */

import type { KeyObject } from "node:crypto";
import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import type { PROJECTIONS } from "#contracts/events/log.ts";
import type { EventLog, Position } from "#infra/log/event-log.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import type { Passwords } from "#infra/vault/credentials.ts";
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
 * The catalogues for which this process is writing revisions; the sweep for abandoned ones skips
 * them.
 */
export type RevisionsInProgress = {
  readonly has: (catalogueId: string) => boolean;
  /** Runs `work`, which opens and writes a revision of the catalogue. */
  readonly during: <T>(catalogueId: string, work: () => Promise<T>) => Promise<T>;
};

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
