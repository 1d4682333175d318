import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { invalid, Refusal } from "#contracts/errors.ts";
import { PROJECTIONS } from "#contracts/events/log.ts";
import type { FeedQuery } from "#contracts/http/following.ts";
import { expressionOf } from "#contracts/query/filters.ts";
import { predicateOf } from "#contracts/query/predicate.ts";
import { createFairQueue, NOBODY } from "#infra/kernel/fair-queue.ts";
import { supervise } from "#infra/kernel/waiting.ts";
import type { Batch, Checkpoint, EventLog, Position, RecordedEvent } from "#infra/log/event-log.ts";
import { gauges } from "#infra/process/metrics.ts";
import { readCheckpoint } from "#projections/engine/progress.ts";
import { presentReaders, type Reader } from "#projections/read/rights.ts";
import type { CommandContext } from "#services/context.ts";
import {
  ALL_CHANGES,
  FEED_START,
  type FeedPosition,
  jointPositionText,
  OF_READERS,
  OF_USERS,
  parseJointPosition,
  parsePosition,
  positionText,
} from "#services/domain/following.ts";
import type { VersionHistory } from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/history.ts";
import { type ReadBefore, readBefore } from "../../told-events.ts";
import { createFeedBlocks } from "./blocks.ts";
import { type FollowedPiece, type Following, followChanges } from "./follow.ts";
import {
  createFeedStreams,
  type FeedStream,
  type FeedStreams,
  type StreamPlaces,
} from "./streams.ts";

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
    open: (request) => openFeed(versionHistories, request),
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
  const read = readBefore(pool);
  return async (of, ids) => {
    const events = await read(of, ids);
    if (events.size === ids.length) return events;
    await untilVisible("catalogues", await log.head());
    return read(of, ids);
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

export type FeedRequest = {
  readonly catalogueIds: readonly string[];
  /** Whether the feed is of a list of catalogues, even of a single one. */
  readonly isJoint: boolean;
  readonly query: FeedQuery;
  /** Precedes `after`, which a browser repeats whenever it connects again. */
  readonly lastEventId: string | undefined;
  readonly reader: Reader;
};

/**
 * What a request follows, of catalogues that are there for its caller, and from where: after the place that it
 * names, or after the last version.
 * @throws Refusal NOT_FOUND for a catalogue that was deleted, UNAUTHENTICATED for a guest at a private one,
 * VALIDATION_ERROR for a place that is none
 */
export async function openFeed(
  versionHistories: VersionHistories,
  request: FeedRequest,
): Promise<Omit<Following, "form">> {
  const { catalogueIds, isJoint, query, reader } = request;
  const isGuest = reader.kind === "guest";
  const histories = await historiesOf(versionHistories, catalogueIds, isGuest);
  const places = placesOf(request);
  const positions = new Map(
    histories.map(([id, { versions }]) => {
      const last = versions.at(-1)?.version ?? 0;
      const place = places?.positions.get(id) ?? { version: last, change: ALL_CHANGES };
      if (place.version > last)
        throw invalid(places?.field ?? "after", "is after the last version");
      return [id, place];
    }),
  );
  return {
    positions,
    filter: predicateOf(expressionOf(query)),
    control: query.control === "true",
    isGuest,
    isOfOne: !isJoint,
    idOf: isJoint ? jointPositionText : idOfOne,
  };
}

/** In the order of the ids, so that the first that is refused decides, whichever is read first. */
async function historiesOf(
  versionHistories: VersionHistories,
  ids: readonly string[],
  isGuest: boolean,
): Promise<(readonly [string, VersionHistory])[]> {
  const found = await Promise.all(ids.map((id) => versionHistories.read(id)));
  return found.map((history, i) => {
    if (history === null || history.isDeleted) {
      throw new Refusal("NOT_FOUND", "Catalogue not found");
    }
    if (isGuest && history.publicFrom === null) throw new Refusal("UNAUTHENTICATED");
    return [ids[i] ?? "", history];
  });
}

function idOfOne(positions: ReadonlyMap<string, FeedPosition>): string {
  const [position = FEED_START] = positions.values();
  return positionText(position);
}

type Places = { readonly field: string; readonly positions: ReadonlyMap<string, FeedPosition> };

/**
 * The places that a request names; null where it wants only what is to come. A joint feed begins anew in
 * catalogues of which its id does not tell.
 */
function placesOf({ catalogueIds, isJoint, query, lastEventId }: FeedRequest): Places | null {
  const isHeader = lastEventId !== undefined && lastEventId !== "";
  const text = isHeader ? lastEventId : query.after;
  if (text === undefined) return null;
  const field = isHeader ? "Last-Event-ID" : "after";
  const ofAll = text === "0" || !isJoint ? parsePosition(text) : null;
  const positions = ofAll
    ? new Map(catalogueIds.map((id) => [id, ofAll]))
    : isJoint && parseJointPosition(text);
  if (!positions) throw invalid(field, "is not the id of a message");
  return { field, positions };
}

/** Pieces of many messages that are made and written between two looks at the sockets, about half a millisecond. */
const AT_ONCE = 4;

/**
 * Gives streams with much to catch up their turns, first come first served, so that small answers and news
 * do not wait for all of them.
 */
export function createFeedTurns(): () => Promise<void> {
  const waiting = Number.POSITIVE_INFINITY;
  const limits = { running: AT_ONCE, waiting, waitingOfOne: waiting, isOfOneCaller: true };
  const queue = createFairQueue(limits);
  return async () => {
    const { ready, leave } = queue.enter(NOBODY);
    await ready;
    setImmediate(leave);
  };
}
