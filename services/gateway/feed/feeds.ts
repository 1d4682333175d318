import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { PROJECTIONS } from "#contracts/names.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import type { Batch, Checkpoint, EventLog, Position, RecordedEvent } from "#infra/log/event-log.ts";
import { gauges } from "#infra/process/metrics.ts";
import { readCheckpoint } from "#projections/engine/progress.ts";
import { supersededEvents } from "#projections/read/events.ts";
import { presentReaders, thereAmong } from "#projections/read/rights.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { StreamPlaces } from "../capacity/stream-places.ts";
import type { ReadBefore } from "./feed-block.ts";
import { createFeedBlocks } from "./feed-blocks.ts";
import type { FeedStream } from "./feed-stream.ts";
import { createFeedStreams, type FeedStreams } from "./feed-streams.ts";
import { createFeedTurns } from "./feed-turns.ts";
import { type FollowedPiece, type Following, followChanges } from "./follow-changes.ts";
import { type FeedRequest, openFeed } from "./open-feed.ts";

/** What handlers need to let clients follow changes. */
export type Feeds = {
  readonly open: (request: FeedRequest) => Promise<Omit<Following, "form">>;
  readonly streams: FeedStreams;
  readonly follow: (following: Following, stream: FeedStream) => AsyncGenerator<FollowedPiece>;
};

export type FeedsDeps = {
  readonly context: Pick<CommandContext, "log" | "pool" | "untilVisible" | "logger" | "now">;
  readonly versionHistories: VersionHistories;
  readonly streamPlaces: StreamPlaces;
  readonly reads: { readonly pool: Pick<Pool, "query"> };
  readonly registry: Registry;
};

/** Opens the feeds of a gateway. Closing ends all streams. */
export function openFeeds({
  context,
  versionHistories,
  streamPlaces: places,
  reads,
  registry,
}: FeedsDeps): Feeds & { readonly close: () => Promise<void> } {
  const { log, pool, logger, now } = context;
  const blocks = createFeedBlocks({ log, readBefore: beforeVersions(context) });
  const turn = createFeedTurns();
  const streams = createFeedStreams({
    places,
    presentReaders: (readers) => presentReaders(pool, readers, now()),
    logger,
  });
  const hub = startFeedHub({
    log,
    database: reads.pool,
    versionHistories,
    applied: (projection, position) => context.untilVisible(projection, position),
    streams,
    logger,
  });
  gauges([
    {
      name: "feed_streams",
      help: "Open streams of changes",
      read: () => [{ value: streams.size() }],
    },
  ])(registry);
  return {
    open: (request) =>
      openFeed(
        { versionHistories, thereFor: (ids, reader) => thereAmong(pool, ids, reader) },
        request,
      ),
    streams,
    follow: (following, stream) =>
      followChanges({ versionHistories, blocks, turn }, following, stream),
    close: async () => {
      streams.close();
      await hub.close();
    },
  };
}

/** The read model may not have a version yet that the log has. */
function beforeVersions({
  log,
  pool,
  untilVisible,
}: Pick<CommandContext, "log" | "pool" | "untilVisible">): ReadBefore {
  return async ({ catalogueId, entry }, ids) => {
    const read = () => supersededEvents(pool, catalogueId, entry.version, ids);
    const events = await read();
    if (events.size === ids.length) return events;
    await untilVisible("catalogues", await log.head());
    return read();
  };
}

type FeedHubDeps = {
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
function startFeedHub(deps: FeedHubDeps): { readonly close: () => Promise<void> } {
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
