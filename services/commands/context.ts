import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import type { EventLog, Position } from "#infra/event-log/event-log.ts";
import type { RevisionsInProgress } from "./revisions-in-progress.ts";

/** A request for a change. Its id determines the ids of its events, so that a retry repeats nothing. */
export type Command = {
  /** UUID. */
  readonly id: string;
  /** User id of the requester, or `system`. */
  readonly actor: string;
  /** An earlier run of the same command may have written events; its decisions stand. */
  readonly retried?: boolean;
};

/** The dependencies of command handlers. */
export type CommandContext = {
  readonly log: EventLog;
  readonly pool: DatabasePool;
  /** Resolves when the named projection has applied `position` (read your writes); has a time-out. */
  readonly waitFor: (projection: string, position: Position) => Promise<void>;
  /** Presence key of this process. */
  readonly worker: string;
  readonly revisionsInProgress: RevisionsInProgress;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
};
