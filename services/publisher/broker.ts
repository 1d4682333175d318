/**
 * What a publisher hands on by NATS: the notices of notifications, and the changes of
 * catalogues.
 */

import type { JetStreamClient, JetStreamManager, PubAck, StreamConfig, StreamInfo } from "nats";
import type { Logger } from "pino";
import type { CommonQueryMethods } from "slonik";
import { keysWithValue, unknownCase } from "#contracts/cases.ts";
import { CHANGES, NOTICES, RELAYS } from "#contracts/events/log.ts";
import {
  type CatalogueChange,
  CHANGE_OF,
  type ChangeData,
  type ChangeKind,
  type ChangingEvent,
  changeType,
} from "#contracts/messages/changes.ts";
import {
  type ClusterOptions,
  changeRetention,
  emptyStream,
  ensureChangeStream,
  ensureNoticeConsumer,
  ensureNoticeStream,
  messageIdAt,
  type NatsSession,
  openNatsSession,
  publishChange,
  publishNotice,
  readStream,
  refusalOf,
} from "#infra/brokers/nats.ts";
import { NOTIFIED_TYPES, noticeOf } from "#infra/brokers/notifications.ts";
import {
  cloudEventOf,
  compareWithPublished,
  forgetAllPublished,
  forgetPublished,
  noteLeader,
  notePublished,
  type RelayDeps,
  type Retention,
  readRelayCheckpoint,
  relayEvents,
  rewindRelay,
} from "#infra/brokers/relay.ts";
import { repeat } from "#infra/kernel/waiting.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { EventLog, RecordedEvent } from "#infra/log/event-log.ts";
import type { OpenSocket } from "#infra/postgres/connection.ts";
import { BrokerNotReady, type Publisher, publishUnderLease } from "./publish-under-lease.ts";
import { catalogueOf, restrictedNow } from "./restricted-now.ts";

export type PublisherDeps = BrokerDeps & {
  /** How long a notifier may hold a message before it is redelivered to another. */
  readonly ackWaitMs: number;
};

/** Publishes notices to the broker: one of all processes does, and the others stand by. */
export function startPublisher(deps: PublisherDeps): Publisher {
  return relayToBroker(deps, {
    name: RELAYS.publisher,
    types: NOTIFIED_TYPES,
    stream: NOTICES.stream,
    retention: () => ({ kind: "until taken" }),
    async prepare(manager, options) {
      await ensureNoticeStream(manager, options);
      await ensureNoticeConsumer(manager, deps.ackWaitMs);
    },
    publish: (client, event) => publishNotice(client, noticeOf(event)),
  });
}

export type ChangesDeps = BrokerDeps & {
  /** URL of the service, the base of the catalogues' URLs. */
  readonly publicBaseUrl: string;
  readonly log: Pick<EventLog, "subscribe" | "read">;
};

/** Publishes changes of catalogues to the broker: one of all processes does, and the others stand by. */
export function startChanges(deps: ChangesDeps): Publisher {
  const isRestricted = restrictedNow(deps.log);
  return relayToBroker(deps, {
    name: RELAYS.changes,
    types: keysWithValue(CHANGE_OF),
    stream: CHANGES.stream,
    retention: changeRetention,
    prepare: ensureChangeStream,
    publish: async (client, event) => {
      const hidden = await isRestricted(catalogueOf(event));
      const { kind, change } = catalogueChange(event, deps.publicBaseUrl, hidden);
      return publishChange(client, kind, change, event.position);
    },
  });
}

/**
 * What subscribers are told of an event that changed a catalogue.
 * @param recorded an event of a type that CHANGE_OF has a kind for
 * @param publicBaseUrl URL of the service
 * @param isRestricted whether the catalogue is there for its members only: the message then has its id, versions
 * and counts alone
 * @throws UnknownEvent at an event of an unknown version
 */
export function catalogueChange(
  recorded: RecordedEvent,
  publicBaseUrl: string,
  isRestricted = false,
): { readonly kind: ChangeKind; readonly change: CatalogueChange } {
  const event = fromRecorded(recorded) as ChangingEvent;
  const kind = CHANGE_OF[event.type];
  const { catalogueId } = event.data;
  const data = isRestricted ? restrictedData(event) : changeData(event);
  const change = {
    ...cloudEventOf(recorded, catalogueId, publicBaseUrl),
    type: changeType(kind),
    subject: catalogueId,
    data,
  };
  // Type and data are of the same event.
  return { kind, change: change as CatalogueChange };
}

function restrictedData(event: ChangingEvent): ChangeData {
  const catalogue_id = event.data.catalogueId;
  switch (event.type) {
    case "CatalogueCreated":
    case "CatalogueRenamed":
    case "CatalogueDeleted":
      return { catalogue_id };
    case "VisibilityChanged":
      return { catalogue_id, is_public: false, public_from: null };
    case "RevisionCommitted": {
      const { revision, added, updated, removed, eventCount } = event.data;
      const counts = { added, updated, removed, event_count: eventCount };
      return { catalogue_id, version: revision, ...counts };
    }
    default:
      return unknownCase(event);
  }
}

function changeData(event: ChangingEvent): ChangeData {
  const catalogue_id = event.data.catalogueId;
  switch (event.type) {
    case "CatalogueCreated":
      return { catalogue_id, name: event.data.name, is_public: event.data.isPublic };
    case "CatalogueRenamed":
      return { catalogue_id, name: event.data.name };
    case "VisibilityChanged": {
      const { isPublic, publicFrom } = event.data;
      return { catalogue_id, is_public: isPublic, public_from: publicFrom };
    }
    case "RevisionCommitted": {
      const { revision, cause, added, updated, removed, eventCount, bounds, contentHash } =
        event.data;
      return {
        catalogue_id,
        version: revision,
        cause,
        added,
        updated,
        removed,
        event_count: eventCount,
        bounds,
        content_hash: contentHash,
      };
    }
    case "CatalogueDeleted":
      return { catalogue_id };
    default:
      return unknownCase(event);
  }
}

type BrokerDeps = RelayDeps & {
  readonly natsUrl: string;
  /** Servers of the broker that keep each stream. */
  readonly natsReplicas: number;
  /** Default 10 s. */
  readonly compareEveryMs?: number;
  readonly databaseUrl: string;
  readonly openSocket?: OpenSocket | undefined;
  readonly logger: Logger;
  /** Called when the log has an event that this version cannot pass on. */
  readonly onFatal: (error: unknown) => void;
};

export type BrokerRelay = ComparedStream & {
  /** Name of the checkpoint, the lease and the connection. */
  readonly name: string;
  readonly types: readonly string[];
  /** Creates what is missing at the broker. */
  readonly prepare: (manager: JetStreamManager, options: ClusterOptions) => Promise<void>;
  /** Publishes one event under its id; resolves when the stream has stored it. */
  readonly publish: (client: JetStreamClient, event: RecordedEvent) => Promise<PubAck>;
};

/** Publishes events to the broker: one of all processes does, and the others stand by. */
function relayToBroker(deps: BrokerDeps, relay: BrokerRelay): Publisher {
  return publishUnderLease({
    ...deps,
    name: relay.name,
    publish: (onConnected, signal) => publishEvents(deps, relay, onConnected, signal),
  });
}

/** How often the stream is compared with what was published. */
const COMPARE_EVERY_MS = 10_000;

/**
 * Publishes the events after the checkpoint over one connection, until it is lost or `signal`
 * aborts. A broker that has lost acknowledged messages gets every event of the log again.
 * @throws BrokerLostMessages when it has lost some meanwhile; BrokerNotReady
 */
async function publishEvents(
  deps: BrokerDeps,
  relay: BrokerRelay,
  onConnected: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { name, types, stream } = relay;
  const { pool, logger, natsReplicas: replicas, compareEveryMs = COMPARE_EVERY_MS } = deps;
  const session = await openNatsSession(deps.natsUrl, name);
  const failing = new AbortController();
  const ended = AbortSignal.any([signal, session.lost, failing.signal]);
  try {
    const manager = await prepared(session, relay, { replicas, signal: ended });
    const loss = await findLoss(pool, relay, manager, Number.MAX_SAFE_INTEGER);
    if (loss !== null) {
      logger.warn({ relay: name, loss }, "the broker has lost messages, all are published again");
      await emptyStream(manager, stream);
      await rewindRelay(pool, name);
    }
    onConnected();
    const sender = createSender(pool, relay, session.connection.jetstream());
    const compare = async (): Promise<void> => {
      const lost = await findLoss(pool, relay, manager, sender.acknowledged());
      if (lost !== null) throw new BrokerLostMessages(lost);
    };
    const comparing = repeat(compareEveryMs, compare, (error) => failing.abort(error));
    try {
      await relayEvents(deps, { name, types, send: sender.send, onProgress: () => {} }, ended);
    } finally {
      await comparing.close();
    }
    failing.signal.throwIfAborted();
  } finally {
    await session.close();
  }
}

/** @throws BrokerNotReady when the broker has no stream to publish to */
async function prepared(
  { connection, lost }: NatsSession,
  { prepare }: BrokerRelay,
  options: ClusterOptions,
): Promise<JetStreamManager> {
  try {
    const manager = await connection.jetstreamManager();
    await prepare(manager, options);
    return manager;
  } catch (cause) {
    if (lost.aborted) throw cause;
    const { replicas } = options;
    const wish = replicas === 1 ? "its stream" : `${replicas} copies of its stream (NATS_REPLICAS)`;
    throw new BrokerNotReady(`the broker does not keep ${wish}: ${refusalOf(cause)}`, { cause });
  }
}

function createSender(
  pool: CommonQueryMethods,
  { name, publish }: BrokerRelay,
  client: JetStreamClient,
) {
  let acknowledged = 0;
  return {
    /** Sequence of the last message that was acknowledged and noted. */
    acknowledged: () => acknowledged,
    async send(event: RecordedEvent): Promise<void> {
      const { seq, duplicate } = await publish(client, event);
      if (!duplicate && seq <= acknowledged) {
        throw new BrokerLostMessages(`sequence ${seq} follows ${acknowledged}`);
      }
      await notePublished(pool, name, seq, event.id);
      acknowledged = Math.max(acknowledged, seq);
    },
  };
}

/** The broker has lost messages that it acknowledged, or uses their sequences again. */
class BrokerLostMessages extends Error {
  override readonly name = "BrokerLostMessages";
}

/** A stream that is compared with what was published into it. */
type ComparedStream = {
  /** Name of the relay's checkpoint. */
  readonly name: string;
  readonly stream: string;
  /** What a stream with these settings still has to have. */
  readonly retention: (config: StreamConfig) => Retention;
};

/**
 * Compares a stream with what was published into it: its last sequence, all sequences that it should
 * have, and the id of the newest. A stream that its operator has emptied has lost nothing.
 * @param acknowledged the last sequence that the broker has acknowledged
 * @returns what it has lost, in words; null for nothing
 */
async function findLoss(
  pool: CommonQueryMethods,
  { name, stream, retention: retentionOf }: ComparedStream,
  manager: JetStreamManager,
  acknowledged: number,
): Promise<string | null> {
  const { brokerSequence, brokerLeader } = await readRelayCheckpoint(pool, name);
  const info = await readStream(manager, stream);
  const { first_seq: first, last_seq: last, deleted = [] } = info.state;
  if (last < brokerSequence) return `its last sequence is ${last}, not ${brokerSequence}`;
  const leader = info.cluster?.leader ?? null;
  const retention = retentionOf(info.config);
  if (isEmptied(info, retention) && leader === brokerLeader) await forgetAllPublished(pool, name);
  const content = { first, last, deleted };
  const { lacking, newest } = await compareWithPublished(
    pool,
    name,
    retention,
    content,
    acknowledged,
  );
  if (lacking > 0) return `${lacking} of its messages are gone`;
  if (newest !== null && (await messageIdAt(manager, stream, newest.sequence)) !== newest.eventId) {
    return `its message ${newest.sequence} is another one`;
  }
  await noteLeader(pool, name, leader);
  await forgetPublished(pool, name, retention);
  return null;
}

/** Another server that leads the stream, and has none of its messages, has lost them. */
function isEmptied({ state }: StreamInfo, { kind }: Retention): boolean {
  return kind === "by age" && state.messages === 0 && state.last_seq > 0;
}
