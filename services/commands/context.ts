import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import type { EventLog, Position } from "#infra/event-log/event-log.ts";
import type { RevisionsInProgress } from "./revisions-in-progress.ts";

/** One request for change: its id makes the ids of its events, so that a retry repeats nothing. */
export type Command = {
  /** UUID. */
  readonly id: string;
  /** User id of who asked, or `system`. */
  readonly actor: string;
  /** An earlier run of the same command may have written events: what it decided is not decided again. */
  readonly retried?: boolean;
};

/** What command handlers need of the world. */
export type CommandContext = {
  readonly log: EventLog;
  readonly pool: DatabasePool;
  /** Resolves when the named projection has applied `position`; read-your-writes, bounded. */
  readonly waitFor: (projection: string, position: Position) => Promise<void>;
  /** Key under which this process shows that it is alive. */
  readonly worker: string;
  readonly revisionsInProgress: RevisionsInProgress;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly newId: () => string;
};
