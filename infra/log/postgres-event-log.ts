import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { sql } from "slonik";
import { createBackoff, createWakeUp, sleep, type WakeUp } from "#infra/kernel/waiting.ts";
import { type ConnectionOptions, type Log, SILENT } from "#infra/postgres/connection.ts";
import { createListener } from "#infra/postgres/coordination.ts";
import { isRefusedByServer, isTransient, isUnreachable } from "#infra/postgres/failures.ts";
import {
  createPgPool,
  createPreparedStatements,
  type PoolUse,
  useOfBoth,
  useOfPgPool,
} from "#infra/postgres/pool.ts";
import type { Lookups, Statements } from "#infra/postgres/statements.ts";
import {
  Ambiguous,
  type Batch,
  type EventLog,
  type OperatedEventLog,
  type Position,
  START,
  type SubscribeOptions,
  Unavailable,
} from "./event-log.ts";
import { requireSamePlace } from "./known-log.ts";
import {
  appendEvents,
  cursorOf,
  EVENT_COLUMNS,
  type EventRow,
  ordinalOf,
  type Reading,
  readBackwards,
  readBatch,
  toEventValues,
  toRecordedEvent,
  untilReadable,
} from "./postgres-events.ts";

const SECOND = 1_000;
const NAME = "event-log";

export type PostgresEventLogOptions = ConnectionOptions & {
  /** Connections for appends; a few more read, and one listens. */
  readonly maxConnections?: number;
  /** How long committed events may stay unreadable before this counts as a stall. Default 5 s. */
  readonly stallThresholdMs?: number;
};

export type PostgresEventLog = EventLog &
  Pick<OperatedEventLog, "ordinal"> & {
    /** What prevents committed events from being read; null when nothing does. For readiness. */
    stall(): Stall | null;
    connections(): PoolUse;
  };

/** Connections plan statements once: plans made on a small log must also suit a large one. */
const BY_INDEX = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off" };

/**
 * The event log in the schema event_log of a migrated database, with its own connections.
 * @throws when the database cannot be reached
 */
export async function createPostgresEventLog(
  url: string,
  options: PostgresEventLogOptions = {},
): Promise<PostgresEventLog> {
  const { log = SILENT, applicationName = NAME, maxConnections = 8, openSocket } = options;
  const statements = await openStatements(url, options);
  const reads = createReads(statements);
  const connection = { applicationName, log, openSocket };
  const appends = createPgPool(url, { ...connection, maxConnections, settings: BY_INDEX });
  const closing = new AbortController();
  const wakeUp = createWakeUp();
  const notifier = createNotifier(statements, log);
  const listener = createListener({
    ...{ ...connection, url, channel: CHANNEL, applicationName: `${applicationName} listener` },
    // An append in this process has woken its subscribers already.
    onWake: (payload) => notifier.isOwn(payload) || wakeUp.wake(),
  });
  const monitor = watchForStalls(statements, {
    thresholdMs: options.stallThresholdMs ?? 5 * SECOND,
    log,
    signal: closing.signal,
  });

  async function close(): Promise<void> {
    closing.abort();
    await Promise.all([listener.close(), monitor.done, notifier.idle()]);
    await statements.close();
    if (!appends.ending) await appends.end();
  }

  return {
    async append(...append) {
      if (closing.signal.aborted) throw new Unavailable("the event log is closed");
      const appended = await appendTo(appends, ...append);
      wakeUp.wake();
      notifier.notify();
      return appended;
    },

    ...reads,

    subscribe: (request) =>
      subscription(
        { reads: statements, wakeUp, log, eventAt: reads.eventAt },
        { ...request, signal: AbortSignal.any([request.signal, closing.signal]) },
      ),

    readBackwards: (options) =>
      reading(async () => {
        if (options.before === null) await untilReadable(statements, closing.signal);
        return readBackwards(statements, options);
      }),

    stall: () => monitor.stall(),
    ordinal: ordinalOf,
    connections: () => useOfBoth(useOfPgPool(appends), statements.inUse()),
    close,
  };
}

async function openStatements(
  url: string,
  { log = SILENT, applicationName = NAME, openSocket }: PostgresEventLogOptions,
) {
  const reads = { applicationName: `${applicationName} reads`, log, openSocket };
  const statements = createPreparedStatements(url, reads);
  try {
    await enterEpoch(statements, log);
    return statements;
  } catch (error) {
    await statements.close();
    throw error;
  }
}

async function appendTo(
  appends: ReturnType<typeof createPgPool>,
  ...[stream, expectedRevision, events, options]: Parameters<EventLog["append"]>
) {
  const { timeoutMs = 10 * SECOND } = options ?? {};
  const values = toEventValues(events);
  return appendWithin(appends, timeoutMs, (client) =>
    appendEvents(client, stream, expectedRevision, values),
  );
}

/**
 * Raises the epoch when a dump and restore moved the log to another cluster, where transaction ids
 * start again below those of the restored rows. If both clusters have the same identifier, rows with
 * transaction ids above this cluster's latest prove the move.
 */
async function enterEpoch(database: Lookups, log: Log): Promise<void> {
  const raised = (await database.maybeOne(sql.unsafe`
    update event_log.cluster
    set epoch = epoch + 1, system_identifier = control.system_identifier
    from pg_control_system() control
    where cluster.system_identifier <> control.system_identifier or exists (
      select from event_log.events
      where transaction_id >=
        event_log.transaction_number(pg_snapshot_xmax(pg_current_snapshot()))
    )
    returning epoch`)) as { epoch: number } | null;
  if (raised !== null) log.warn(raised, "the event log is in a new database cluster");
}

/**
 * Runs an append within `timeoutMs`: Unavailable before anything was sent, Ambiguous afterwards.
 */
async function appendWithin<T>(
  pool: Pool,
  timeoutMs: number,
  append: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  let expired = false;
  const timer = setTimeout(() => {
    expired = true;
    reject(new Error(`no answer to an append within ${timeoutMs} ms`));
  }, timeoutMs);
  let client: PoolClient | null = null;
  try {
    const connecting = pool.connect();
    // A connection that comes too late goes back unused.
    connecting.then(
      (late) => expired && client === null && late.release(),
      () => undefined,
    );
    client = await Promise.race([connecting, timedOut]);
    return await Promise.race([append(client), timedOut]);
  } catch (error) {
    throw appendFailure(error, client !== null, expired);
  } finally {
    clearTimeout(timer);
    // Closing the connection also ends an expired statement.
    client?.release(expired);
  }
}

function appendFailure(error: unknown, sent: boolean, timedOut: boolean): unknown {
  if (!timedOut && !isTransient(error)) return error;
  if (!sent || isUnreachable(error) || isRefusedByServer(error)) {
    return new Unavailable("the event log cannot be reached", { cause: error });
  }
  return new Ambiguous("the append may or may not have happened", { cause: error });
}

/** What is read by single statements. */
function createReads(
  statements: Pick<Statements, "any" | "maybeOne">,
): Pick<EventLog, "read" | "head" | "eventAt"> {
  return {
    read: (stream, from, limit) =>
      reading(async () => {
        const rows = (await statements.any(sql.unsafe`
          select ${EVENT_COLUMNS} from event_log.events e
          where stream = ${stream} and revision >= ${from}
          order by revision limit ${limit}`)) as readonly EventRow[];
        return rows.map(toRecordedEvent);
      }),

    head: () =>
      reading(async () => {
        const row = (await statements.maybeOne(sql.unsafe`
          select event_log.position_text(transaction_id, position) as at from event_log.events
          order by transaction_id desc, position desc limit 1`)) as { at: Position } | null;
        return row?.at ?? START;
      }),

    eventAt: (at) =>
      reading(async () => {
        const { transactionId, position } = cursorOf(at);
        const row = (await statements.maybeOne(sql.unsafe`
          select event_id as id from event_log.events
          where transaction_id = ${transactionId}::bigint
            and position = ${position}::bigint`)) as { id: string } | null;
        return row?.id ?? null;
      }),
  };
}

/** @throws Unavailable when the database cannot be reached */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isTransient(error)) throw error;
    throw new Unavailable("the event log cannot be reached", { cause: error });
  }
}

/** A transaction that keeps committed events unreadable, as shown by pg_stat_activity. */
type Stall = {
  /** Start of the stall: when the readable end of the log stopped moving; milliseconds since 1970. */
  readonly sinceMs: number;
  /** Null when the holder is invisible (another user's session, a prepared transaction). */
  readonly holder: StallHolder | null;
};

type StallHolder = {
  readonly pid: number;
  readonly applicationName: string;
  readonly state: string;
  readonly ageSeconds: number;
};

type Observation = { readonly horizon: string; readonly blocked: boolean };

/** A stall: committed events wait beyond a horizon that has not moved for `thresholdMs`. */
function watchForStalls(
  database: Lookups,
  { thresholdMs, log, signal }: { thresholdMs: number; log: Log; signal: AbortSignal },
) {
  let stall: Stall | null = null;
  let standing: { horizon: string; sinceMs: number } | null = null;

  async function check(): Promise<void> {
    const { horizon, blocked } = await observe(database);
    const now = Date.now();
    if (!blocked) standing = null;
    else if (standing?.horizon !== horizon) standing = { horizon, sinceMs: now };
    const stalled = standing !== null && now - standing.sinceMs >= thresholdMs;
    if (standing !== null && stalled && stall === null) {
      stall = { sinceMs: standing.sinceMs, holder: await findHolder(database) };
      log.warn(stall, "a transaction holds back the readable end of the event log");
    } else if (!stalled && stall !== null) {
      log.info({ durationMs: now - stall.sinceMs }, "the event log is readable to its end again");
      stall = null;
    }
  }

  async function watch(): Promise<void> {
    while (!signal.aborted) {
      await sleep(thresholdMs / 5, signal);
      if (signal.aborted) return;
      try {
        await check();
      } catch (error) {
        // Subscriptions report an unreachable database; for this check the state is just unknown.
        if (!signal.aborted && !isTransient(error)) log.warn({ err: error }, "stall check failed");
      }
    }
  }

  return {
    /** The current stall, or null. */
    stall: () => stall,
    /** Resolves when the monitor has ended after its signal. */
    done: watch(),
  };
}

async function observe(database: Lookups): Promise<Observation> {
  return (await database.maybeOne(sql.unsafe`
    select event_log.horizon()::text as horizon,
      exists (select from event_log.events where transaction_id >= event_log.horizon()) as blocked
  `)) as Observation;
}

async function findHolder(database: Lookups): Promise<StallHolder | null> {
  return (await database.maybeOne(sql.unsafe`
    select pid, application_name as "applicationName", state,
      extract(epoch from clock_timestamp() - xact_start)::float8 as "ageSeconds"
    from pg_stat_activity
    where backend_xid is not null and pid <> pg_backend_pid()
    order by age(backend_xid) desc limit 1`)) as StallHolder | null;
}

export type SubscriptionDependencies = {
  readonly reads: Pick<Statements, "any">;
  readonly wakeUp: WakeUp;
  readonly log: Log;
  readonly eventAt: EventLog["eventAt"];
};

const MAX_POLL_MS = 1_000;
/** Polling is the fallback for lost wake-ups. */
const POLL_MS = 50;
/** Shorter, because the end of a transaction that holds events back wakes no subscriber. */
const HELD_BACK_POLL_MS = 5;

/** The batches after a position, without end; waits while the database is faulty. */
async function* subscription(
  { reads, wakeUp, log, eventAt }: SubscriptionDependencies,
  { after, types, signal }: SubscribeOptions,
): AsyncGenerator<Batch, void, void> {
  let { position } = after;
  let isKnown = false;
  let idlePolls = 0;
  const backoff = createBackoff();

  while (!signal.aborted) {
    const version = wakeUp.version();
    let reading: Reading;
    try {
      if (!isKnown) await requireSamePlace({ eventAt }, after);
      isKnown = true;
      reading = await readBatch(reads, position, types);
      backoff.reset();
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
      log.warn({ err: error }, "subscription cannot read the event log");
      await sleep(backoff.next(), signal);
      continue;
    }
    const { batch, more, heldBack } = reading;
    if (batch !== null) {
      if (signal.aborted) return;
      position = batch.position;
      idlePolls = 0;
      yield batch;
    }
    if (more) continue;
    const ms = (heldBack ? HELD_BACK_POLL_MS : POLL_MS) * 2 ** idlePolls;
    await wakeUp.wait(version, Math.min(ms, MAX_POLL_MS), signal);
    idlePolls = wakeUp.version() === version ? Math.min(idlePolls + 1, 10) : 0;
  }
}

export const CHANNEL = "event_log";

const NUMBERS = 2 ** 31;

/** Least time between two notifications, each of which wakes every subscriber of every process. */
const SPACING_MS = 10;

export type Notifier = {
  /** Tells all other processes about an append; calls in quick succession share one notification. */
  notify(): void;
  /** Whether this notifier sent the notification with this payload. */
  isOwn(payload: string): boolean;
  /** Resolves when no notification is in flight. */
  idle(): Promise<void>;
};

/**
 * Sends NOTIFY after an append has committed and outside its transaction, where it would serialise
 * all commits of the database. At most one is in flight, so a burst of appends costs a few.
 * Subscribers of this process are woken without it.
 */
export function createNotifier(statements: Pick<Statements, "any">, log: Log): Notifier {
  const sender = randomInt(NUMBERS);
  // Polling makes up for a lost notification, so its commit need not wait for the disk.
  const send = sql.unsafe`
    select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${String(sender)})`;
  let wanted = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (wanted) {
      wanted = false;
      try {
        await statements.any(send);
      } catch (error) {
        log.warn({ err: error }, "subscribers are not notified, they poll");
      }
      if (wanted) await delay(SPACING_MS);
    }
    running = null;
  }

  return {
    notify() {
      wanted = true;
      running ??= run();
    },
    isOwn: (payload) => payload === String(sender),
    idle: async () => {
      await running;
    },
  };
}
