/**
 * Handing the log on to brokers: what is sent, how far relays and feeds have come, what a broker
 * has acknowledged.
 */

import { type CommonQueryMethods, type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { requireKnown } from "#infra/log/domain-events.ts";
import {
  BEGINNING,
  type Checkpoint,
  type EventLog,
  type Position,
  type RecordedEvent,
  START,
} from "#infra/log/event-log.ts";

export type RelayDeps = {
  readonly log: Pick<EventLog, "subscribe">;
  readonly pool: CommonQueryMethods;
};

export type EventRelay = {
  /** The checkpoint's name. */
  readonly name: string;
  readonly types: readonly string[];
  /** Passes an event on; when it resolves, the event is safe with the receiver. */
  readonly send: (event: RecordedEvent) => Promise<void>;
  /** Called when the relay has advanced. */
  readonly onProgress: () => void;
};

/**
 * Sends the log's events of the relay's types, in order, until `signal` aborts. At least once: the
 * checkpoint moves after the event is sent.
 * @throws UnknownEvent at an event of an unknown version; CheckpointMoved when another worker has the
 * relay; errors of `send`
 */
export async function relayEvents(
  { log, pool }: RelayDeps,
  { name, types, send, onProgress }: EventRelay,
  signal: AbortSignal,
): Promise<void> {
  const start = await readRelayCheckpoint(pool, name);
  let after = start.position;
  for await (const { events, ...reached } of log.subscribe({ after: start, types, signal })) {
    for (const event of events) {
      if (signal.aborted) return;
      requireKnown(event);
      await send(event);
      await moveRelayCheckpoint(pool, name, after, { position: event.position, eventId: event.id });
      after = event.position;
      onProgress();
    }
    if (reached.position === after) continue;
    await moveRelayCheckpoint(pool, name, after, reached);
    after = reached.position;
    onProgress();
  }
}

/** Another worker moved the checkpoint, so this worker no longer holds the relay, or the feed. */
class CheckpointMoved extends Error {
  override readonly name = "CheckpointMoved";
}

const RelayRow = z.object({
  position: z.string(),
  eventId: z.uuid().nullable(),
  brokerSequence: z.int(),
  brokerLeader: z.string().nullable(),
});

const RelayPosition = z.object({ relay: z.string(), position: z.string() });

/** Checkpoints of those of the relays that have begun. */
export async function relayPositions(pool: CommonQueryMethods, relays: readonly string[]) {
  const rows = await pool.any(sql.type(RelayPosition)`
    select relay, position from notifications.checkpoints
    where relay = any(${sql.array([...relays], "text")}) order by relay`);
  return rows.map(({ relay, position }) => ({ relay, position: position as Position }));
}

/**
 * A relay's checkpoint, with what it knows of its broker: the last sequence acknowledged, and who had the stream,
 * null outside a cluster. BEGINNING and 0 before its first message.
 */
export async function readRelayCheckpoint(pool: CommonQueryMethods, relay: string) {
  const row = await pool.maybeOne(sql.type(RelayRow)`
    select position, event_id as "eventId", broker_sequence as "brokerSequence",
      broker_leader as "brokerLeader"
    from notifications.checkpoints where relay = ${relay}`);
  if (row === null) return { ...BEGINNING, brokerSequence: 0, brokerLeader: null };
  return { ...row, position: row.position as Position };
}

/**
 * Moves the checkpoint. Of two concurrent workers only one succeeds.
 * @throws CheckpointMoved when the checkpoint is not at `from`
 */
async function moveRelayCheckpoint(
  pool: CommonQueryMethods,
  relay: string,
  from: Position,
  to: Checkpoint,
): Promise<void> {
  const { rowCount } = await pool.query(sql.unsafe`
    insert into notifications.checkpoints as c (relay, position, event_id)
    values (${relay}, ${to.position}, ${to.eventId}::uuid)
    on conflict (relay) do update
      set position = excluded.position, event_id = excluded.event_id, updated_at = clock_timestamp()
      where c.position = ${from}`);
  if (rowCount === 0) throw new CheckpointMoved(`relay ${relay} has left ${from}`);
}

/** Stores a message that the broker has acknowledged. */
export async function notePublished(
  pool: CommonQueryMethods,
  relay: string,
  sequence: number,
  eventId: string,
): Promise<void> {
  await pool.query(sql.unsafe`
    with noted as (
      insert into notifications.published as p (relay, sequence, event_id)
      values (${relay}, ${sequence}, ${eventId}::uuid)
      on conflict do nothing
    )
    insert into notifications.checkpoints as c (relay, position, broker_sequence)
    values (${relay}, ${START}, ${sequence})
    on conflict (relay) do update
      set broker_sequence = greatest(c.broker_sequence, excluded.broker_sequence),
        updated_at = clock_timestamp()`);
}

/** Which of the acknowledged messages a broker need not have any more. */
export type Retention =
  /** Those that somebody has taken. */
  | { readonly kind: "until taken" }
  /** Those older than `keptMs`; with `newestOnly` also all but the newest. */
  | { readonly kind: "by age"; readonly keptMs: number; readonly newestOnly: boolean };

const Comparison = z.object({
  lacking: z.int(),
  newest: z.object({ sequence: z.int(), eventId: z.uuid() }).nullable(),
});

/**
 * Compares a stream with what the broker has acknowledged.
 * @param stream `deleted`: sequences between first and last that it does not have
 * @param upTo the last sequence that was acknowledged before the stream was read
 * @returns how many messages it has lost, and the newest that it should have
 */
export function compareWithPublished(
  pool: CommonQueryMethods,
  relay: string,
  retention: Retention,
  stream: { readonly first: number; readonly last: number; readonly deleted: readonly number[] },
  upTo: number,
) {
  const newestOnly = retention.kind === "by age" && retention.newestOnly;
  return pool.one(sql.type(Comparison)`
    with newest as (
      select max(sequence) as sequence from notifications.published
      where relay = ${relay} and sequence <= ${upTo}
    ), wanted as (
      select p.sequence, p.event_id from notifications.published p, newest n
      where p.relay = ${relay} and p.sequence <= n.sequence and ${isWanted(retention)}
        and (not ${newestOnly} or p.sequence = n.sequence)
    )
    select
      (select count(*) from wanted
        where sequence < ${stream.first} or sequence > ${stream.last}
          or sequence = any(${sql.array([...stream.deleted], "int8")})) as lacking,
      (select jsonb_build_object('sequence', sequence, 'eventId', event_id) from wanted
        order by sequence desc limit 1) as newest`);
}

function isWanted(retention: Retention): FragmentSqlToken {
  if (retention.kind === "until taken") {
    return sql.fragment`
      not exists (select from notifications.notices taken where taken.id = p.event_id)`;
  }
  return sql.fragment`
      (p.published_at > clock_timestamp() - ${retention.keptMs}::float8 * interval '1 ms')`;
}

/** Forgets messages that a broker need not have any more. */
export async function forgetPublished(
  pool: CommonQueryMethods,
  relay: string,
  retention: Retention,
): Promise<void> {
  await pool.query(sql.unsafe`
    delete from notifications.published p where relay = ${relay} and not ${isWanted(retention)}`);
}

/** Stores which server has the stream. */
export async function noteLeader(
  pool: CommonQueryMethods,
  relay: string,
  leader: string | null,
): Promise<void> {
  await pool.query(sql.unsafe`
    update notifications.checkpoints set broker_leader = ${leader}
    where relay = ${relay} and broker_leader is distinct from ${leader}`);
}

/** Forgets all messages, of a stream that its operator has emptied. */
export async function forgetAllPublished(pool: CommonQueryMethods, relay: string): Promise<void> {
  await pool.query(sql.unsafe`delete from notifications.published where relay = ${relay}`);
}

/** Sets the relay back to the start of the log, for a broker that has lost messages. */
export async function rewindRelay(pool: CommonQueryMethods, relay: string): Promise<void> {
  await pool.query(sql.unsafe`
    with forgotten as (delete from notifications.published where relay = ${relay})
    update notifications.checkpoints
    set position = ${START}, event_id = null, broker_sequence = 0, updated_at = clock_timestamp()
    where relay = ${relay}`);
}

/**
 * The attributes that all messages about an event of a catalogue have (`contracts/messages/changes.ts`).
 * @param publicBaseUrl URL of the service, the base of the catalogue's URL
 */
export function cloudEventOf(
  { id, recordedAt }: Pick<RecordedEvent, "id" | "recordedAt">,
  catalogueId: string,
  publicBaseUrl: string,
) {
  return {
    specversion: "1.0",
    id,
    source: `${publicBaseUrl}/api/catalogues/${catalogueId}`,
    time: recordedAt,
    datacontenttype: "application/json",
  } as const;
}

/** How far a feed is acknowledged: the log up to `position`, and part of the revision after it. */
export type FeedCheckpoint = Checkpoint & {
  readonly part: {
    /** Id of the commit event in the log. */
    readonly commitId: string;
    /** Number of chunks whose messages are all acknowledged. */
    readonly chunks: number;
    readonly messages: number;
  } | null;
};

const FeedRow = z.object({
  position: z.string(),
  eventId: z.uuid().nullable(),
  commitId: z.uuid().nullable(),
  chunks: z.int(),
  messages: z.int(),
});

/** A feed's checkpoint; null before its first message. */
export async function findFeedCheckpoint(
  pool: CommonQueryMethods,
  feed: string,
): Promise<FeedCheckpoint | null> {
  const row = await pool.maybeOne(sql.type(FeedRow)`
    select position, event_id as "eventId", commit_id as "commitId", chunks, messages
    from analytics.checkpoints where feed = ${feed}`);
  if (row === null) return null;
  const { commitId, chunks, messages, eventId } = row;
  const part = commitId === null ? null : { commitId, chunks, messages };
  return { position: row.position as Position, eventId, part };
}

/** A feed's checkpoint; the start of the log before its first message. */
export async function readFeedCheckpoint(
  pool: CommonQueryMethods,
  feed: string,
): Promise<FeedCheckpoint> {
  return (await findFeedCheckpoint(pool, feed)) ?? { ...BEGINNING, part: null };
}

/**
 * Moves the checkpoint. Of two concurrent workers only one succeeds.
 * @throws CheckpointMoved when the checkpoint is not at `from`
 */
export async function moveFeedCheckpoint(
  pool: CommonQueryMethods,
  feed: string,
  from: FeedCheckpoint,
  to: FeedCheckpoint,
): Promise<void> {
  const { commitId = null, chunks = 0, messages = 0 } = to.part ?? {};
  const { rowCount } = await pool.query(sql.unsafe`
    insert into analytics.checkpoints as c (feed, position, event_id, commit_id, chunks, messages)
    values (${feed}, ${to.position}, ${to.eventId}::uuid, ${commitId}::uuid, ${chunks}, ${messages})
    on conflict (feed) do update
      set position = excluded.position, event_id = excluded.event_id, commit_id = excluded.commit_id,
        chunks = excluded.chunks, messages = excluded.messages, refusal = null,
        updated_at = clock_timestamp()
      where c.position = ${from.position} and c.chunks = ${from.part?.chunks ?? 0}`);
  if (rowCount === 0) throw new CheckpointMoved(`feed ${feed} has left ${from.position}`);
}

/** A message that a topic refuses for its size, so that the feed stands still. */
const Refusal = z.object({
  topic: z.string(),
  /** Approximate and uncompressed. */
  bytes: z.int(),
  /** The topic's `max.message.bytes`, which counts compressed batches; null when unknown. */
  limit: z.int().nullable(),
});
export type Refusal = z.infer<typeof Refusal>;

const RefusalRow = z.object({ refusal: Refusal.nullable() });

/** What holds a feed back; null for nothing. */
export async function findRefusal(pool: CommonQueryMethods, feed: string): Promise<Refusal | null> {
  const row = await pool.maybeOne(sql.type(RefusalRow)`
    select refusal from analytics.checkpoints where feed = ${feed}`);
  return row?.refusal ?? null;
}

/**
 * Stores what holds a feed back; its next progress removes it.
 * @returns false when that was stored already
 */
export async function noteRefusal(
  pool: CommonQueryMethods,
  feed: string,
  refusal: Refusal,
): Promise<boolean> {
  const value = sql.fragment`${JSON.stringify(refusal)}::jsonb`;
  const { rowCount } = await pool.query(sql.unsafe`
    insert into analytics.checkpoints as c (feed, position, refusal)
    values (${feed}, ${BEGINNING.position}, ${value})
    on conflict (feed) do update set refusal = excluded.refusal
      where c.refusal is distinct from excluded.refusal`);
  return rowCount > 0;
}

/** A refusal in words. */
export function refusalSentence({ topic, bytes, limit }: Refusal): string {
  const allowed = limit === null ? "" : ` (${limit})`;
  return `topic ${topic} refuses a message of ${bytes} bytes: its max.message.bytes${allowed} is too small`;
}
