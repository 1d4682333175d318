import type { Pool } from "pg";
import type { Logger } from "pino";
import { PROJECTIONS } from "#contracts/names.ts";
import type {
  Batch,
  Checkpoint,
  EventLog,
  Position,
  RecordedEvent,
} from "#infra/event-log/event-log.ts";
import { supervise } from "#infra/lifecycle/supervise.ts";
import { readCheckpoint } from "#projections/engine/checkpoint.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { FeedStreams } from "./feed-streams.ts";

export type FeedHubDeps = {
  readonly log: Pick<EventLog, "subscribe">;
  /** For the checkpoint from which it subscribes. */
  readonly database: Pick<Pool, "query">;
  readonly versionHistories: VersionHistories;
  /** Resolves when a read model has everything up to a position. */
  readonly applied: (projection: keyof typeof PROJECTIONS, position: Position) => Promise<void>;
  readonly streams: Pick<FeedStreams, "follows" | "tell" | "checkReaders">;
  readonly logger: Logger;
};

/** After which a catalogue may not be readable for somebody any more. */
const OF_READERS = [
  "VisibilityChanged",
  "CatalogueDeleted",
  "ShareEnded",
  "MemberSet",
  "MemberRemoved",
];
/** After which somebody may have lost the right to any. */
const OF_USERS = [
  "GroupMembersChanged",
  "GroupDeleted",
  "UserRoleChanged",
  "UserDeactivated",
  "UserDeleted",
];
const TYPES = ["RevisionCommitted", ...OF_READERS, ...OF_USERS];

/**
 * Tells streams that there is something new in the log. It keeps nothing: each stream reads from the log what
 * comes after its own place, so nothing is lost where this one is late or is repeated.
 */
export function startFeedHub(deps: FeedHubDeps): { readonly close: () => Promise<void> } {
  const { log, database, versionHistories, applied, streams, logger } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let after: Checkpoint | null = null;

  async function tell({ events, position }: Batch): Promise<void> {
    const changed = new Set(events.map(catalogueOf).filter(streams.follows));
    for (const id of changed) await streams.tell(id, await versionHistories.read(id));
    const has = (types: readonly string[]) => events.some(({ type }) => types.includes(type));
    if (changed.size > 0 && has(OF_READERS)) checkAfter("catalogues", position);
    if (has(OF_USERS)) checkAfter("users", position);
  }

  /** They are checked often enough if the read model comes late. */
  function checkAfter(projection: keyof typeof PROJECTIONS, position: Position): void {
    applied(projection, position).then(streams.checkReaders, () => undefined);
  }

  async function follow(progressed: () => void): Promise<void> {
    // The log's head is no place to subscribe from; what a projection has applied is.
    after ??= await readCheckpoint(database, PROJECTIONS.catalogues);
    for await (const batch of log.subscribe({ after, types: TYPES, signal })) {
      await tell(batch);
      after = { position: batch.position, eventId: batch.eventId };
      progressed();
    }
  }

  const running = supervise(follow, { signal, logger, name: "feed" });
  return {
    close: async () => {
      stopping.abort();
      await running;
    },
  };
}

function catalogueOf({ data }: RecordedEvent): string {
  return data instanceof Uint8Array ? "" : String(data["catalogueId"]);
}
