import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { CommonQueryMethods } from "slonik";
import { unknownCase } from "#contracts/cases.ts";
import {
  type CatalogueEvent,
  type CatalogueEventData,
  catalogueEvents,
} from "#contracts/events/catalogues.ts";
import { ANALYTICS, revisionStream } from "#contracts/events/log.ts";
import { ANALYTICS_HEADERS, type AnalyticsContent } from "#contracts/messages/analytics.ts";
import { CLOUD_EVENT_TYPE } from "#contracts/messages/changes.ts";
import { eventIdAt, eventIdPrefix } from "#contracts/seismic-event/ids.ts";
import { type EventColumns, rowAt } from "#contracts/seismic-event/seismic-event.ts";
import {
  createSizedSends,
  type KafkaSession,
  type KafkaSessionOptions,
  openKafkaSession,
  type SizedMessage,
} from "#infra/brokers/kafka.ts";
import {
  cloudEventOf,
  type FeedCheckpoint,
  moveFeedCheckpoint,
  noteRefusal,
  readFeedCheckpoint,
} from "#infra/brokers/relay.ts";
import { derivedUuid } from "#infra/kernel/texts.ts";
import { type Chunk, decodeChunk } from "#infra/log/chunks.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { Checkpoint, EventLog, RecordedEvent } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { shownConfig, shownSources } from "#projections/read/rights.ts";
import { type Publisher, publishUnderLease } from "./publish-under-lease.ts";
import { restrictedNow } from "./restricted-now.ts";

/** The cluster, and how to sign in to it. */
export type KafkaAccess = Pick<KafkaSessionOptions, "brokers" | "ssl" | "sasl">;

export type AnalyticsPublisherDeps = Omit<AnalyticsDeps, "send" | "isRestricted" | "onProgress"> & {
  readonly kafka: KafkaAccess;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

/** Publishes changes of catalogues to Kafka: one of all processes does, and the others stand by. */
export function startAnalytics(deps: AnalyticsPublisherDeps): Publisher {
  const { kafka, logger } = deps;
  const isRestricted = restrictedNow(deps.log);
  return publishUnderLease({
    ...deps,
    name: ANALYTICS.feed,
    async publish(onConnected, signal) {
      const session = await openKafkaSession({ ...kafka, clientId: CLIENT_ID, logger, signal });
      try {
        const ended = AbortSignal.any([signal, session.lost]);
        const { send, partitionOf } = session;
        const onRefused = (bytes: number) => reportRefusal(deps, session, bytes);
        const sized = createSizedSends({ send, partitionOf, onRefused, signal: ended });
        onConnected();
        await publishAnalytics(
          { ...deps, isRestricted, send: sized, onProgress: onConnected },
          ended,
        );
      } finally {
        await session.close();
      }
    },
  });
}

/** Tells readiness and metrics why the feed stands still, and the log once. */
async function reportRefusal(
  { pool, logger }: AnalyticsPublisherDeps,
  session: Pick<KafkaSession, "limit">,
  bytes: number,
): Promise<void> {
  const refusal = { topic: ANALYTICS.topic, bytes, limit: await session.limit() };
  const isNew = await noteRefusal(pool, ANALYTICS.feed, refusal);
  if (isNew) logger.warn(refusal, "Kafka refuses a message for its size: raise max.message.bytes");
}

const CLIENT_ID = "earthquake-catalogue-service";

type AnalyticsDeps = {
  readonly log: Pick<EventLog, "read" | "subscribe">;
  readonly pool: CommonQueryMethods;
  readonly publicBaseUrl: string;
  /** Resolves when the broker has acknowledged all messages. */
  readonly send: (messages: readonly FeedMessage[]) => Promise<void>;
  /** Whether a catalogue is there for its members only. */
  readonly isRestricted: (catalogueId: string) => Promise<boolean>;
  /** Called when the feed has advanced. */
  readonly onProgress: () => void;
};

/**
 * Publishes the log's events about catalogues after the checkpoint, in order, until `signal` aborts.
 * At least once: the checkpoint moves after the broker's acknowledgement.
 * @throws UnknownEvent at an event or a chunk of an unknown version; CheckpointMoved when another worker
 * has the feed; errors of `send`
 */
export async function publishAnalytics(deps: AnalyticsDeps, signal: AbortSignal): Promise<void> {
  const { log, pool, send, onProgress } = deps;
  const types = Object.keys(catalogueEvents);
  const begun = await readFeedCheckpoint(pool, ANALYTICS.feed);
  let stored = begun;
  const outbox = createOutbox({
    async send(messages) {
      signal.throwIfAborted();
      await send(messages);
    },
    async store(checkpoint) {
      if (checkpoint.position !== stored.position || checkpoint.part !== stored.part) {
        await moveFeedCheckpoint(pool, ANALYTICS.feed, stored, checkpoint);
      }
      stored = checkpoint;
      onProgress();
    },
  });
  let behind: Checkpoint = { position: begun.position, eventId: begun.eventId };
  for await (const { events, ...reached } of log.subscribe({ after: behind, types, signal })) {
    for (const event of events) {
      await publishEvent(deps, outbox, event, { ...behind, part: begun.part });
      behind = { position: event.position, eventId: event.id };
      outbox.mark({ ...behind, part: null });
    }
    behind = reached;
    outbox.mark({ ...behind, part: null });
    await outbox.flush();
  }
}

/** @param reached the feed's checkpoint before the event, including a partly published revision */
async function publishEvent(
  deps: AnalyticsDeps,
  outbox: Outbox,
  recorded: RecordedEvent,
  reached: FeedCheckpoint,
): Promise<void> {
  // The subscription returns no other types.
  const event = fromRecorded(recorded) as CatalogueEvent;
  const { catalogueId } = event.data;
  const isRestricted = await deps.isRestricted(catalogueId);
  const content = isRestricted ? restrictedContent(event) : await shownContent(deps, event);
  if (content === null) return;
  const make = messageMaker(recorded, catalogueId, deps.publicBaseUrl);
  const ordinal =
    event.type === "RevisionCommitted" && !isRestricted
      ? await publishRevision({ log: deps.log, outbox, make }, recorded, event.data, reached)
      : 0;
  await outbox.add(make(ordinal, content));
}

/** Id, versions and counts alone. */
function restrictedContent(event: CatalogueEvent): AnalyticsContent | null {
  const { catalogueId } = event.data;
  switch (event.type) {
    case "CatalogueCreated":
      return { type: "catalogue.created.v1", data: { catalogueId } };
    case "VisibilityChanged": {
      const data = { catalogueId, isPublic: false, publicFrom: null };
      return { type: "catalogue.visibility-changed.v1", data };
    }
    case "CatalogueDeleted":
      return { type: "catalogue.deleted.v1", data: { catalogueId } };
    case "RevisionCommitted": {
      const { revision, added, updated, removed, eventCount } = event.data;
      const data = { catalogueId, revision, added, updated, removed, eventCount };
      return { type: "catalogue.revision-committed.v1", data };
    }
    default:
      return null;
  }
}

/** Without the names of restricted sources of a merge. */
async function shownContent(
  { isRestricted }: Pick<AnalyticsDeps, "isRestricted">,
  event: CatalogueEvent,
): Promise<AnalyticsContent | null> {
  const content = catalogueContent(event);
  if (content?.type !== "catalogue.merged.v1" || event.type !== "CatalogueMerged") return content;
  const { sources, config } = event.data;
  const hidden: string[] = [];
  for (const { id } of sources) if (await isRestricted(id)) hidden.push(id);
  if (hidden.length === 0) return content;
  const nameless = { sources: shownSources(sources, hidden), config: shownConfig(config, []) };
  return { ...content, data: { ...event.data, ...nameless } };
}

/**
 * The feed's message about a decision on a catalogue; null for none. Open and abandoned revisions
 * have changed nothing, and an import's changes are those of its revision. Users and shares are left
 * out: the feed has no personal data and nothing of who may read.
 */
export function catalogueContent(event: CatalogueEvent): AnalyticsContent | null {
  switch (event.type) {
    case "CatalogueCreated": {
      const { catalogueId, name, isPublic } = event.data;
      return { type: "catalogue.created.v1", data: { catalogueId, name, isPublic } };
    }
    case "CatalogueRenamed":
      return { type: "catalogue.renamed.v1", data: event.data };
    case "VisibilityChanged": {
      const { isRestricted: _, ...data } = event.data;
      return { type: "catalogue.visibility-changed.v1", data };
    }
    case "CatalogueMerged":
      return { type: "catalogue.merged.v1", data: event.data };
    case "CatalogueDeleted":
      return { type: "catalogue.deleted.v1", data: event.data };
    case "RevisionCommitted":
      return { type: "catalogue.revision-committed.v1", data: event.data };
    // Names of people are in it.
    case "MetadataChanged":
    case "CatalogueShared":
    case "ShareEnded":
    case "ScheduleMade":
    case "ScheduleChanged":
    case "ScheduleEnded":
    // The merge's versions and their events tell of it.
    case "MergeRefreshed":
    case "MergeDecisionsMade":
    case "MergeDecisionsWithdrawn":
    case "EditingChanged":
    case "PartsChanged":
    case "MemberSet":
    case "MemberRemoved":
    case "RevisionOpened":
    case "RevisionAbandoned":
    case "ImportStarted":
    case "ImportCompleted":
    case "ImportFailed":
      return null;
    default:
      return unknownCase(event);
  }
}

type RevisionDeps = {
  readonly log: Pick<EventLog, "read">;
  readonly outbox: Outbox;
  readonly make: MessageMaker;
};

/** The log has fewer chunks than the commit counts. */
class MissingChunks extends Error {
  override readonly name = "MissingChunks";
}

/** Chunks read at once: a chunk is 100 to 200 KB, and a few MB when unpacked. */
const CHUNKS_AT_ONCE = 4;

/**
 * Publishes a committed revision's changes of events, starting after the acknowledged ones. The
 * checkpoint advances from chunk to chunk, so that a large revision gets through even if the broker
 * is only available for short times.
 * @returns the number of all messages, which is the ordinal of the revision's own message
 * @throws MissingChunks, CorruptChunk, UnknownChunkVersion
 */
async function publishRevision(
  { log, outbox, make }: RevisionDeps,
  commit: RecordedEvent,
  { catalogueId, revision, chunks }: CatalogueEventData<"RevisionCommitted">,
  { part, ...reached }: FeedCheckpoint,
): Promise<number> {
  const acknowledged = part?.commitId === commit.id ? part : { chunks: 0, messages: 0 };
  const stream = revisionStream(catalogueId, revision);
  let at = acknowledged.chunks;
  let ordinal = acknowledged.messages;
  while (at < chunks) {
    const events = await log.read(stream, at, Math.min(CHUNKS_AT_ONCE, chunks - at));
    if (events.length === 0) throw new MissingChunks(`${stream} ends at ${at} of ${chunks} chunks`);
    for (const { data } of events) {
      const chunk = decodeChunk(data as Uint8Array);
      for (const { eventId, content } of chunkContents(chunk, catalogueId, revision)) {
        await outbox.add(make(ordinal, content, eventId));
        ordinal += 1;
      }
      at += 1;
      outbox.mark({ ...reached, part: { commitId: commit.id, chunks: at, messages: ordinal } });
      // Yields, since this process may also answer requests.
      await setImmediate();
    }
  }
  return ordinal;
}

/** Changes of seismic events in a chunk, in its order. */
function* chunkContents(
  { firstIndex, added, restored, updated, removed }: Chunk,
  catalogueId: string,
  revision: number,
): Generator<{ readonly eventId: string; readonly content: AnalyticsContent }> {
  const prefix = eventIdPrefix(catalogueId, revision);
  for (let i = 0; i < added.length; i += 1) {
    const eventId = eventIdAt(prefix, firstIndex + i);
    const data = { catalogueId, revision, event: eventAt(added, i, eventId) };
    yield { eventId, content: { type: "seismic-event.added.v1", data } };
  }
  for (const [i, eventId] of restored.ids.entries()) {
    const data = { catalogueId, revision, event: eventAt(restored, i, eventId) };
    yield { eventId, content: { type: "seismic-event.added.v1", data } };
  }
  for (const [i, eventId] of updated.ids.entries()) {
    const data = { catalogueId, revision, event: eventAt(updated, i, eventId) };
    yield { eventId, content: { type: "seismic-event.updated.v1", data } };
  }
  for (const eventId of removed) {
    const data = { catalogueId, revision, eventId };
    yield { eventId, content: { type: "seismic-event.removed.v1", data } };
  }
}

/** The event as in the API's lists, since a merged event's provenance could exceed any message. */
function eventAt(events: EventColumns, index: number, id: string) {
  return { id, ...rowAt(events, index), source_events: undefined };
}

export type FeedMessage = SizedMessage;

/** Makes the messages for one event of the log. */
type MessageMaker = (ordinal: number, content: AnalyticsContent, subject?: string) => FeedMessage;

/** Generous size of headers, key and the broker's own fields, in addition to the value. */
const OVERHEAD_BYTES = 256;

/** @param publicBaseUrl URL of the service, the base of a catalogue's URL */
function messageMaker(
  recorded: Pick<RecordedEvent, "id" | "position" | "recordedAt">,
  catalogueId: string,
  publicBaseUrl: string,
): MessageMaker {
  const { id, position } = recorded;
  return (ordinal, { type, data }, subject) => {
    const value = JSON.stringify({
      ...cloudEventOf(recorded, catalogueId, publicBaseUrl),
      id: derivedUuid(`${id}\n${ordinal}`),
      type,
      subject,
      partitionkey: catalogueId,
      data,
    });
    return {
      key: catalogueId,
      value,
      headers: {
        [ANALYTICS_HEADERS.contentType]: CLOUD_EVENT_TYPE,
        [ANALYTICS_HEADERS.position]: position,
        [ANALYTICS_HEADERS.ordinal]: String(ordinal),
      },
      bytes: Buffer.byteLength(value) + OVERHEAD_BYTES,
    };
  };
}

/** Messages to be sent in batches of bounded size, each followed by its checkpoint. */
type Outbox = {
  add(message: FeedMessage): Promise<void>;
  /** Sets the feed's checkpoint for when everything added so far is acknowledged. */
  mark(checkpoint: FeedCheckpoint): void;
  flush(): Promise<void>;
};

export type OutboxDeps = {
  /** Resolves when the broker has acknowledged all messages. */
  readonly send: (messages: readonly FeedMessage[]) => Promise<void>;
  readonly store: (checkpoint: FeedCheckpoint) => Promise<void>;
};

/** Half of the brokers' default limit of a request; a message is far below the other half. */
const BATCH_BYTES = 512 * 1024;

export function createOutbox({ send, store }: OutboxDeps): Outbox {
  let pending: FeedMessage[] = [];
  let bytes = 0;
  let marked: FeedCheckpoint | null = null;

  async function flush(): Promise<void> {
    if (pending.length > 0) {
      await send(pending);
      pending = [];
      bytes = 0;
    }
    if (marked === null) return;
    await store(marked);
    marked = null;
  }

  return {
    async add(message) {
      pending.push(message);
      bytes += message.bytes;
      if (bytes >= BATCH_BYTES) await flush();
    },
    mark(checkpoint) {
      marked = checkpoint;
    },
    flush,
  };
}
