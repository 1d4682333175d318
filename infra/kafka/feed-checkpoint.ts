import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { BEGINNING, type Checkpoint, type Position } from "#infra/event-log/event-log.ts";

/** The part of the next revision that the broker has acknowledged. */
export type PartOfRevision = {
  /** Id of the commit event in the log. */
  readonly commitId: string;
  /** Number of chunks whose messages are all acknowledged. */
  readonly chunks: number;
  readonly messages: number;
};

/** How far a feed is acknowledged: the log up to `position`, and part of the revision after it. */
export type FeedCheckpoint = Checkpoint & {
  readonly part: PartOfRevision | null;
};

/** Another worker moved the checkpoint, so this worker no longer holds the feed. */
export class FeedMoved extends Error {
  override readonly name = "FeedMoved";
}

const Row = z.object({
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
  const row = await pool.maybeOne(sql.type(Row)`
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
 * @throws FeedMoved when the checkpoint is not at `from`
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
  if (rowCount === 0) throw new FeedMoved(`feed ${feed} has left ${from.position}`);
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
