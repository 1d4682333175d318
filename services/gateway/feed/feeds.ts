import type { Pool } from "pg";
import type { Registry } from "prom-client";
import { gauges } from "#infra/metrics/gauges.ts";
import { presentReaders } from "#projections/queries/accounts/present-readers.ts";
import { supersededEvents } from "#projections/queries/events/superseded-events.ts";
import { thereAmong } from "#projections/queries/rights/reader-rights.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { StreamPlaces } from "../capacity/stream-places.ts";
import type { ReadBefore } from "./feed-block.ts";
import { createFeedBlocks } from "./feed-blocks.ts";
import { startFeedHub } from "./feed-hub.ts";
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
