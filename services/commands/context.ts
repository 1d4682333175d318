import type { Logger } from "pino";
import type { DatabasePool } from "slonik";
import { RetryLater } from "#contracts/errors.ts";
import type { PROJECTIONS } from "#contracts/names.ts";
import type { EventLog, Position } from "#infra/log/event-log.ts";
import { NotVisibleYet } from "#projections/engine/progress.ts";
import type { CatalogueState } from "#services/domain/catalogues/catalogue.ts";
import type { KeptStates } from "./load-state.ts";

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
