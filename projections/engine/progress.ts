/**
 * How far a projection has come in the log: its checkpoint, and waiting until it has reached a
 * position.
 */

import { setTimeout as delay } from "node:timers/promises";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { projectionLease } from "#contracts/events/log.ts";
import { BEGINNING, type Checkpoint, type Position, START } from "#infra/log/event-log.ts";
import { type Lease, unheldSeconds } from "#infra/postgres/coordination.ts";
import {
  type Connection,
  isoTime,
  type Lookups,
  statementsOn,
} from "#infra/postgres/statements.ts";
import { LIVE_SCHEMA, type Transaction } from "./projection.ts";

const CheckpointRow = z.object({ position: z.string(), eventId: z.uuid().nullable() });

/** Another worker moved the checkpoint, so this worker no longer holds the projection. */
export class CheckpointMoved extends Error {
  override readonly name = "CheckpointMoved";
}

/** A projection's checkpoint; BEGINNING before its first event. */
export async function readCheckpoint(
  database: Connection,
  projection: string,
  schema: string = LIVE_SCHEMA,
): Promise<Checkpoint> {
  const row = await statementsOn(database).maybeOne(sql.type(CheckpointRow)`
    select position, event_id as "eventId" from ${sql.identifier([schema, "checkpoints"])}
    where projection = ${projection}`);
  return row ? toCheckpoint(row) : BEGINNING;
}

function toCheckpoint(row: z.infer<typeof CheckpointRow>): Checkpoint {
  return { ...row, position: row.position as Position };
}

const Moved = z.object({ hasParked: z.boolean() });

export type CheckpointMove = {
  readonly projection: string;
  readonly from: Position;
  readonly to: Checkpoint;
  /** Number of events applied since `from`. */
  readonly events: number;
  /** The move is refused when another process has taken the lease over. */
  readonly lease?: Pick<Lease, "name" | "number">;
};

/**
 * Moves the checkpoint, in the transaction that changes the rows. Of two concurrent workers only one
 * succeeds, and none that has lost its lease.
 * @returns whether the projection has parked events
 * @throws CheckpointMoved when the checkpoint is not at `from`, or another process holds the lease
 */
export async function moveCheckpoint(
  transaction: Transaction,
  { projection, from, to, events, lease }: CheckpointMove,
): Promise<boolean> {
  const moved = await transaction.maybeOne(sql.prepared("move_checkpoint", Moved)`
    insert into checkpoints as c (projection, position, event_id, applied_events)
    select ${projection}::text, ${to.position}::text, ${to.eventId}::uuid, ${events}::bigint
    where ${lease?.name ?? null}::text is null
      or exists (
        select from coordination.leases
        where name = ${lease?.name ?? null} and number = ${lease?.number ?? null}::bigint)
    on conflict (projection) do update
      set position = excluded.position, event_id = excluded.event_id,
        applied_events = c.applied_events + excluded.applied_events,
        updated_at = clock_timestamp()
      where c.position = ${from}
    returning exists (select from parked_events where projection = ${projection}) as "hasParked"`);
  if (moved === null) {
    throw new CheckpointMoved(`projection ${projection} left ${from}, or its lease was taken over`);
  }
  return moved.hasParked;
}

/**
 * Prevents all workers from applying a batch until the transaction ends.
 * @returns the checkpoint
 */
export async function holdCheckpoint(transaction: Transaction, projection: string) {
  await transaction.run(sql.unsafe`
    insert into checkpoints (projection, position) values (${projection}, ${BEGINNING.position})
    on conflict do nothing`);
  return toCheckpoint(
    await transaction.one(sql.type(CheckpointRow)`
      select position, event_id as "eventId" from checkpoints
      where projection = ${projection} for update`),
  );
}

const ProjectionState = z.object({
  projection: z.string(),
  position: z.string(),
  updatedAt: z.string(),
  parked: z.int(),
  appliedEvents: z.int(),
});

/**
 * A projection's progress: `position` compares with the log's positions, `updatedAt` is when it last
 * advanced (ISO 8601 UTC), `parked` is the number of parked events, `appliedEvents` the number of
 * applied ones.
 */
export type ProjectionState = z.infer<typeof ProjectionState>;

/** All projections that have ever applied an event, by name. */
export function projectionStates(pool: CommonQueryMethods): Promise<readonly ProjectionState[]> {
  return pool.any(sql.type(ProjectionState)`
    select c.projection, c.position,
      ${isoTime("c.updated_at")} as "updatedAt",
      (select count(*) from read_model.parked_events p where p.projection = c.projection) as parked,
      c.applied_events as "appliedEvents"
    from read_model.checkpoints c
    order by c.projection`);
}

/** The change is in the log, but the read model has not caught up in time. */
export class NotVisibleYet extends Error {
  override readonly name = "NotVisibleYet";
}

/** Whether what is waited for became visible in time. */
export async function isVisible(visible: Promise<void>): Promise<boolean> {
  try {
    await visible;
    return true;
  } catch (error) {
    if (error instanceof NotVisibleYet) return false;
    throw error;
  }
}

const FIRST_DELAY_MS = 2;
const MAX_DELAY_MS = 50;
/** A projector is replaced within some seconds; who has waited for so long is answered within ten. */
const UNHELD_MS = 8_000;
const LOOK_EVERY_MS = 1_000;

type Waiter = {
  readonly position: Position;
  readonly since: number;
  readonly timeoutMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
};

type Followed = {
  readonly projection: string;
  readonly waiters: Set<Waiter>;
  position: Position;
  /** When it last came further. */
  movedAt: number;
  isReported: boolean;
  isPolling: boolean;
  /** Whether a projector lived when it was looked for. */
  isHeld: boolean;
  lookedAt: number;
};

export type PositionWaits = ReturnType<typeof createPositionWaits>;

/**
 * Waits for the read models of one process; all waits for a projection share its polls.
 * @param unheldMs how long one waits at most while no projector lives
 */
export function createPositionWaits(lookups: Lookups, unheldMs = UNHELD_MS) {
  const all = new Map<string, Followed>();

  function followed(projection: string): Followed {
    const known = all.get(projection);
    if (known) return known;
    const waiters = new Set<Waiter>();
    const fresh = {
      projection,
      waiters,
      position: START,
      movedAt: 0,
      isReported: false,
      isPolling: false,
      isHeld: true,
      lookedAt: Number.NEGATIVE_INFINITY,
    };
    all.set(projection, fresh);
    return fresh;
  }

  async function poll(follow: Followed): Promise<void> {
    follow.isPolling = true;
    if (follow.isReported) await delay(MAX_DELAY_MS);
    for (let wait = FIRST_DELAY_MS; follow.waiters.size > 0; ) {
      const before = follow.position;
      try {
        reach(follow, await readPosition(lookups, follow.projection));
        if (waitedMs(follow) > unheldMs) await lookForProjector(lookups, follow);
        expire(follow, unheldMs);
      } catch (error) {
        for (const { reject } of follow.waiters) reject(error);
        follow.waiters.clear();
      }
      wait = follow.position > before ? FIRST_DELAY_MS : Math.min(wait * 1.5, MAX_DELAY_MS);
      if (follow.waiters.size > 0) await delay(follow.isReported ? MAX_DELAY_MS : wait);
    }
    follow.isPolling = false;
  }

  return {
    /**
     * Resolves once `projection` has applied everything up to `position` (read your writes); at once
     * for null.
     * @throws NotVisibleYet after `timeoutMs` in which it has applied nothing, or sooner while no projector lives
     */
    async until(projection: string, position: Position | null, timeoutMs: number): Promise<void> {
      if (position === null) return;
      const follow = followed(projection);
      if (position <= follow.position) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      follow.waiters.add({ position, since: performance.now(), timeoutMs, resolve, reject });
      if (!follow.isPolling) void poll(follow);
      await promise;
    },
    /** Called by the projector if it runs in this process, so that polls can be rare. */
    applied(projection: string, position: Position): void {
      const follow = followed(projection);
      follow.isReported = true;
      reach(follow, position);
    },
  };
}

/** The same for a single wait. */
export function waitForPosition(
  lookups: Lookups,
  projection: string,
  position: Position | null,
  timeoutMs: number,
): Promise<void> {
  return createPositionWaits(lookups).until(projection, position, timeoutMs);
}

async function readPosition(lookups: Lookups, projection: string): Promise<Position> {
  const checkpoint = await lookups.maybeOne(sql.type(z.object({ position: z.string() }))`
    select position from read_model.checkpoints where projection = ${projection}`);
  return (checkpoint?.position ?? START) as Position;
}

function reach(follow: Followed, position: Position): void {
  if (position <= follow.position) return;
  follow.position = position;
  follow.movedAt = performance.now();
  for (const waiter of follow.waiters) {
    if (waiter.position > position) continue;
    follow.waiters.delete(waiter);
    waiter.resolve();
  }
}

/** How long the first has waited since the projection last came further. */
function waitedMs({ waiters, movedAt }: Followed): number {
  const since = Math.min(...[...waiters].map((waiter) => waiter.since));
  return performance.now() - Math.max(since, movedAt);
}

async function lookForProjector(lookups: Lookups, follow: Followed): Promise<void> {
  if (performance.now() - follow.lookedAt < LOOK_EVERY_MS) return;
  follow.isHeld = (await unheldSeconds(lookups, projectionLease(follow.projection))) === null;
  follow.lookedAt = performance.now();
}

function expire({ projection, waiters, movedAt, isHeld }: Followed, unheldMs: number): void {
  const now = performance.now();
  for (const waiter of waiters) {
    const timeoutMs = isHeld ? waiter.timeoutMs : Math.min(waiter.timeoutMs, unheldMs);
    if (now <= Math.max(waiter.since, movedAt) + timeoutMs) continue;
    waiters.delete(waiter);
    waiter.reject(new NotVisibleYet(`projection ${projection} has not reached ${waiter.position}`));
  }
}
