import type { CommonQueryMethods } from "slonik";
import { RELAYS } from "#contracts/names.ts";
import { type EventLog, type Position, START, unverified } from "#infra/event-log/event-log.ts";
import { readRelayCheckpoint } from "#infra/relays/relay-checkpoint.ts";
import { NOTIFIED_TYPES } from "./relay-notices.ts";

export type WaitingNotices = {
  readonly count: number;
  /** False when counting the log took too long: there may be more. */
  readonly isAll: boolean;
};

export type WaitingNoticesDeps = {
  readonly log: Pick<EventLog, "subscribe" | "head">;
  readonly pool: CommonQueryMethods;
};

/** Time limit of one call; a long log is counted over several. */
const PATIENCE_MS = 1_000;

/** Counts what has not reached the broker; until it advances, each call goes on from the last. */
export function createWaitingNotices({
  log,
  pool,
}: WaitingNoticesDeps): () => Promise<WaitingNotices> {
  let published: Position = START;
  let reached: Position = START;
  let count = 0;
  let counting: Promise<WaitingNotices> | null = null;

  async function countOn(): Promise<WaitingNotices> {
    const { position } = await readRelayCheckpoint(pool, RELAYS.publisher);
    if (position !== published) {
      published = position;
      reached = position;
      count = 0;
    }
    const head = await log.head();
    if (reached < head) await countTo(head, AbortSignal.timeout(PATIENCE_MS));
    return { count, isAll: reached >= head };
  }

  async function countTo(head: Position, signal: AbortSignal): Promise<void> {
    for await (const batch of log.subscribe({
      after: unverified(reached),
      types: NOTIFIED_TYPES,
      signal,
    })) {
      count += batch.events.length;
      reached = batch.position;
      if (reached >= head) return;
    }
  }

  return () => {
    counting ??= countOn().finally(() => {
      counting = null;
    });
    return counting;
  };
}
