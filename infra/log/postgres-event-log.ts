/**
 * The event log in PostgreSQL: its appends, its reads and its subscriptions, and the rows that
 * they write and read. One file, since every statement on the table holds by what the others
 * promise.
 */

import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { DatabaseError, type Pool, type PoolClient } from "pg";
import { sql } from "slonik";
import { z } from "zod";
import type { EventMetadata } from "#contracts/events/log.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";
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
import {
  type ClientStatements,
  isoTime,
  type Lookups,
  type Statements,
  statementsOn,
} from "#infra/postgres/statements.ts";
import {
  Ambiguous,
  type Appended,
  type BackwardsBatch,
  type BackwardsOptions,
  type Batch,
  type EventHead,
  type EventLog,
  eventBytes,
  type NewEvent,
  NO_STREAM,
  type OperatedEventLog,
  type Position,
  type RecordedEvent,
  requireAppendSize,
  START,
  type SubscribeOptions,
  Unavailable,
  WrongExpectedRevision,
} from "./event-log.ts";
import { requireSamePlace } from "./known-log.ts";

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

/** Events of the log in PostgreSQL: appended, read forwards and backwards, and their rows. */

const StoredPlace = z.object({ revision: z.int(), event_id: z.string(), at: z.string() });
type StoredPlace = z.infer<typeof StoredPlace>;

/** Appends of up to this many events use a prepared statement: those of single commands. */
const FEW = 4;

const UNIQUE_VIOLATION = "23505";

/** A second try sees a revision that a concurrent append was committing during the first. */
const MAX_TRIES = 3;

/**
 * Appends `events` after `expectedRevision`, or finds that exactly these events are there already.
 * @throws WrongExpectedRevision
 */
async function appendEvents(
  client: PoolClient,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended> {
  const log = statementsOn(client);
  let actual = NO_STREAM;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const appended = await insert(log, stream, expectedRevision, events);
    if (appended !== null) return appended;
    const present = await findPresent(log, stream, expectedRevision, events);
    if (present !== null) return present;
    actual = await lastRevision(log, stream);
    if (actual !== expectedRevision) break;
  }
  throw new WrongExpectedRevision(stream, expectedRevision, actual);
}

/**
 * One statement: one round trip and its own transaction. Revisions are never removed, so an expected
 * revision that exists stays; whether the next one is free is decided by the unique constraint. The
 * transaction id is assigned after the expected revision was seen committed, so the transaction ids
 * of a stream ascend with its revisions.
 *
 * Returns null when the expected revision is missing or the next one is taken.
 */
async function insert(
  log: ClientStatements,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  try {
    return lastOf(await log.any(insertOf(stream, expectedRevision, events)));
  } catch (error) {
    if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION) return null;
    throw error;
  }
}

function insertOf(stream: string, expectedRevision: number, events: readonly EventValues[]) {
  const rows = events.map(
    ({ id, type, data, payload, metadata, bytes }, i) => sql.fragment`
      (${i + 1}::integer, ${id}::uuid, ${type}::text, ${data}::json,
        ${payload && sql.binary(payload)}::bytea, ${metadata}::json, ${bytes}::integer)`,
  );
  const ask =
    rows.length > FEW ? sql.type(StoredPlace) : sql.prepared(`append_${rows.length}`, StoredPlace);
  return ask`
    insert into event_log.events
      (transaction_id, stream, revision, event_id, type, data, payload, metadata, bytes)
    select event_log.transaction_number(pg_current_xact_id()), ${stream}, ${expectedRevision}::integer + n,
      id, type, data, payload, metadata, bytes
    from (values ${sql.join(rows, sql.fragment`, `)})
      as event (n, id, type, data, payload, metadata, bytes)
    where ${expectedRevision}::integer = ${NO_STREAM} or exists (
      select from event_log.events where stream = ${stream} and revision = ${expectedRevision}
    )
    order by n
    returning revision, event_id, event_log.position_text(transaction_id, position) as at`;
}

/** The answer of the earlier append of these events; null when other events are in their place. */
async function findPresent(
  log: ClientStatements,
  stream: string,
  expectedRevision: number,
  events: readonly EventValues[],
): Promise<Appended | null> {
  const rows = await log.any(sql.type(StoredPlace)`
    select revision, event_id, event_log.position_text(transaction_id, position) as at
    from event_log.events
    where stream = ${stream} and revision > ${expectedRevision}
      and revision <= ${expectedRevision + events.length}
    order by revision`);
  const same =
    rows.length === events.length &&
    rows.every((row, index) => row.event_id === events[index]?.id.toLowerCase());
  return same ? lastOf(rows) : null;
}

async function lastRevision(log: ClientStatements, stream: string): Promise<number> {
  const row = await log.maybeOne(sql.type(StoredPlace.pick({ revision: true }))`
    select revision from event_log.events
    where stream = ${stream} order by revision desc limit 1`);
  return row?.revision ?? NO_STREAM;
}

function lastOf(places: readonly StoredPlace[]): Appended | null {
  const last = places.at(-1);
  return last === undefined ? null : { revision: last.revision, position: last.at as Position };
}

export type BatchLimits = {
  readonly events: number;
  /** Most bytes of data and metadata in a batch, except that a single larger event makes a batch. */
  readonly bytes: number;
  /** Most rows examined per batch when filtering by type: bounds a statement over other events. */
  readonly scanned: number;
};

const BATCH_LIMITS: BatchLimits = { events: 500, bytes: 4 * 1024 * 1024, scanned: 5_000 };

/** Result of one read of the log. */
type Reading = {
  /** Null without any readable event, of whatever type. */
  readonly batch: Batch | null;
  /** More events can be read immediately. */
  readonly more: boolean;
  /** An older transaction prevents committed events from being read. */
  readonly heldBack: boolean;
};

type Reached = { readonly reached: null } | { readonly reached: Position; readonly lastId: string };

type BatchRow = Pick<Reading, "more" | "heldBack"> & Reached & (EventRow | { readonly at: null });

/**
 * The readable events after a position in log order. An event is readable once no transaction that
 * was running when it was written can still commit an earlier one (infra/decisions/0001).
 */
export async function readBatch(
  reads: Pick<Statements, "any">,
  after: Position,
  types: readonly string[] | undefined,
  limits: BatchLimits = BATCH_LIMITS,
): Promise<Reading> {
  const [first, ...further] = (await reads.any(
    looking(after, types, limits),
  )) as readonly BatchRow[];
  if (first === undefined) throw new Error("a look at the log has no answer");
  const { more, heldBack } = first;
  if (first.reached === null) return { batch: null, more, heldBack };
  const events = [first, ...further].flatMap((row) =>
    row.at === null ? [] : [toRecordedEvent(row)],
  );
  return { batch: { events, position: first.reached, eventId: first.lastId }, more, heldBack };
}

function looking(after: Position, types: readonly string[] | undefined, limits: BatchLimits) {
  const { transactionId, position } = cursorOf(after);
  const wantedType = types
    ? sql.fragment`type = any(${sql.array(types, "text")})`
    : sql.fragment`true`;
  const scanned = types ? limits.scanned : limits.events;
  return sql.unsafe`
    with seen as materialized (
      select transaction_id, position, event_id, type, bytes from event_log.events
      where (transaction_id, position) > (${transactionId}::bigint, ${position}::bigint)
        and transaction_id < event_log.horizon()
      order by transaction_id, position
      limit ${scanned}
    ), wanted as materialized (
      select transaction_id, position, event_id, row_number() over place as n,
        sum(bytes) over place as running
      from seen where ${wantedType}
      window place as (order by transaction_id, position)
    ), chosen as materialized (
      select transaction_id, position, event_id from wanted
      where n = 1 or (n <= ${limits.events} and running <= ${limits.bytes})
    ), last_looked_at as (
      select transaction_id, position, event_id from (
        select * from chosen where (select count(*) from chosen) < (select count(*) from wanted)
        union all
        select transaction_id, position, event_id from seen
        where (select count(*) from chosen) = (select count(*) from wanted)
      ) looked_at
      order by transaction_id desc, position desc limit 1
    )
    select event_log.position_text(last_looked_at.transaction_id, last_looked_at.position) as reached,
      last_looked_at.event_id as "lastId",
      (select count(*) from chosen) < (select count(*) from wanted)
        or (select count(*) from seen) = ${scanned} as more,
      exists (
        select from event_log.events where transaction_id >= event_log.horizon()
      ) as "heldBack",
      ${EVENT_COLUMNS}
    from (values (true)) as always
    left join last_looked_at on true
    left join (chosen join event_log.events e using (transaction_id, position)) on true
    order by e.transaction_id, e.position`;
}

export type BackwardsLimits = {
  /** Most rows examined, without their data. */
  readonly scanned: number;
  /** Most bytes of data and metadata fetched, except that a single larger event makes a batch. */
  readonly bytes: number;
};

const BACKWARDS_LIMITS: BackwardsLimits = { scanned: 2_000, bytes: 4 * 1024 * 1024 };

type HeadRow = EventHead & { readonly bytes: number };

/** The readable events before a position, newest first. */
export async function readBackwards(
  reads: Pick<Statements, "any">,
  { before, limit, wanted }: BackwardsOptions,
  limits: BackwardsLimits = BACKWARDS_LIMITS,
): Promise<BackwardsBatch> {
  const heads = await headsBefore(reads, before, limits.scanned);
  const chosen: HeadRow[] = [];
  let bytes = 0;
  let examined = 0;
  for (const head of heads) {
    if (wanted(head)) {
      if (chosen.length > 0 && bytes + head.bytes > limits.bytes) break;
      chosen.push(head);
      bytes += head.bytes;
    }
    examined += 1;
    if (chosen.length === limit) break;
  }
  const isBeginning = examined === heads.length && heads.length < limits.scanned;
  const position = isBeginning ? null : (heads[examined - 1]?.position ?? null);
  return { events: await eventsAt(reads, chosen), position, bytes };
}

async function headsBefore(
  reads: Pick<Statements, "any">,
  before: Position | null,
  limit: number,
): Promise<readonly HeadRow[]> {
  const place = before === null ? null : cursorOf(before);
  const isBefore = place
    ? sql.fragment`(e.transaction_id, e.position) < (${place.transactionId}::bigint, ${place.position}::bigint)`
    : sql.fragment`true`;
  return (await reads.any(sql.unsafe`
    select event_log.position_text(e.transaction_id, e.position) as position, e.event_id as id,
      e.stream, e.revision, e.type, e.metadata, ${RECORDED_AT} as "recordedAt", e.bytes
    from event_log.events e
    where ${isBefore} and e.transaction_id < event_log.horizon()
    order by e.transaction_id desc, e.position desc
    limit ${limit}`)) as readonly HeadRow[];
}

async function eventsAt(reads: Pick<Statements, "any">, heads: readonly EventHead[]) {
  if (heads.length === 0) return [];
  const places = heads.map(({ position }) => cursorOf(position));
  const transactionIds = places.map(({ transactionId }) => transactionId);
  const positions = places.map(({ position }) => position);
  const rows = (await reads.any(sql.unsafe`
    select ${EVENT_COLUMNS}
    from unnest(
      ${sql.array(transactionIds, "int8")}, ${sql.array(positions, "int8")}
    ) as place (transaction_id, position)
    join event_log.events e using (transaction_id, position)`)) as readonly EventRow[];
  // Sorting there, these connections would rather walk the whole log in its order.
  return rows.toSorted((a, b) => (a.at < b.at ? 1 : -1)).map(toRecordedEvent);
}

const HORIZON_POLL_MS = 5;
const MAX_WAIT_MS = 3_000;

/** Waits until what the log holds now is readable, at most three seconds. */
async function untilReadable(reads: Lookups, signal: AbortSignal): Promise<void> {
  const last = (await reads.maybeOne(sql.unsafe`
    select transaction_id::text as id, transaction_id < event_log.horizon() as "isReadable"
    from event_log.events
    order by transaction_id desc, position desc limit 1`)) as LastTransaction | null;
  if (last === null) return;
  const deadline = performance.now() + MAX_WAIT_MS;
  let { isReadable } = last;
  while (!isReadable && !signal.aborted && performance.now() < deadline) {
    await sleep(HORIZON_POLL_MS, signal);
    ({ isReadable } = (await reads.maybeOne(sql.unsafe`
      select ${last.id}::bigint < event_log.horizon() as "isReadable"`)) as LastTransaction);
  }
}

type LastTransaction = { readonly id: string; readonly isReadable: boolean };

/** A row of EVENT_COLUMNS. Not validated: only this adapter writes these rows. */
type EventRow = {
  readonly at: Position;
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly type: string;
  readonly data: JsonObject | null;
  readonly payload: Buffer | null;
  readonly metadata: EventMetadata;
  readonly recorded_at: string;
};

const RECORDED_AT = isoTime("e.recorded_at");

const EVENT_COLUMNS = sql.fragment`
  event_log.position_text(e.transaction_id, e.position) as at,
  e.stream, e.revision, e.event_id, e.type, e.data, e.payload, e.metadata,
  ${RECORDED_AT} as recorded_at`;

function toRecordedEvent(row: EventRow): RecordedEvent {
  const data = row.data ?? row.payload;
  if (data === null) throw new TypeError(`event ${row.event_id} holds neither data nor payload`);
  return {
    id: row.event_id,
    type: row.type,
    data,
    metadata: row.metadata,
    stream: row.stream,
    revision: row.revision,
    position: row.at,
    recordedAt: row.recorded_at,
  };
}

/** @throws TooLarge when the events together exceed MAX_APPEND_BYTES; RangeError without events */
function toEventValues(events: readonly NewEvent[]): EventValues[] {
  const rows = events.map(eventValues);
  requireAppendSize(rows.map(({ bytes }) => bytes));
  return rows;
}

/** Column values of an event; either `data` or `payload` is null. */
type EventValues = ReturnType<typeof eventValues>;

function eventValues({ id, type, data, metadata }: NewEvent) {
  const meta = JSON.stringify(metadata);
  if (data instanceof Uint8Array) {
    const payload = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const bytes = eventBytes(type, payload.byteLength, Buffer.byteLength(meta));
    return { id, type, data: null, payload, metadata: meta, bytes };
  }
  const json = JSON.stringify(data);
  const bytes = eventBytes(type, Buffer.byteLength(json), Buffer.byteLength(meta));
  return { id, type, data: json, payload: null, metadata: meta, bytes };
}

/** A place in the order of events, in decimal text, since both numbers exceed the safe integers. */
type Cursor = { readonly transactionId: string; readonly position: string };

const FORM = /^[0-9a-f]{32}$/;

/** The number of the event at a position: ascending in the order of writing, with gaps. */
function ordinalOf(position: Position): number {
  return Number(cursorOf(position).position);
}

/**
 * The inverse of event_log.position_text: two numbers of 16 hexadecimal digits.
 * @throws RangeError for any other text
 */
export function cursorOf(position: Position): Cursor {
  if (position === START) return { transactionId: "0", position: "0" };
  if (!FORM.test(position)) throw new RangeError(`not a position of this log: ${position}`);
  return {
    transactionId: BigInt(`0x${position.slice(0, 16)}`).toString(),
    position: BigInt(`0x${position.slice(16)}`).toString(),
  };
}
