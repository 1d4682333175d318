/**
 * What processes of one database know of each other: leases, presence, work that one of them
 * does, notifications.
 */

import { createHash, randomBytes } from "node:crypto";
import { sql } from "slonik";
import { z } from "zod";
import { backoffMs, createBackoff, sleep, untilAborted } from "../kernel/waiting.ts";
import {
  type ConnectionOptions,
  type Log,
  openSession,
  type Session,
  SILENT,
} from "./connection.ts";
import { isTransient } from "./failures.ts";
import { type Lookups, statementsOn } from "./statements.ts";

/** A held lease. Transactions under the lease check its `number`. */
export type Lease = {
  readonly name: string;
  /** Grows with every holder; a whole number in decimal text. */
  readonly number: string;
  /** Aborts when the lease is lost, or the work must end. */
  readonly signal: AbortSignal;
};

type LeaseOptions = Pick<ConnectionOptions, "log" | "openSocket"> & {
  /** Ends the work, and the wait for the lease. */
  readonly signal: AbortSignal;
  /** Interval of attempts to take over by a process that stands by. Default 1 s. */
  readonly retryMs?: number;
  /** How long a lease lasts without renewal. Default 10 s. */
  readonly ttlMs?: number;
  /**
   * Name of this process. When another process takes the lease over, it closes connections whose
   * application name ends with this name, since this process may be frozen inside a transaction.
   */
  readonly holder?: string;
};

type Settings = Required<Omit<LeaseOptions, "openSocket">> &
  Pick<LeaseOptions, "openSocket"> & { readonly name: string };

const SECOND = 1_000;

/** Renewals per lease duration, so that one may be late. */
const RENEWALS = 3;

const TTL_MS = 10 * SECOND;

const Unheld = z.object({ seconds: z.number().nullable() });

const Taken = z.object({ number: z.string(), superseded: z.string().nullable() });

/** A unique name for a process that holds leases. */
export function newHolder(): string {
  return randomBytes(8).toString("hex");
}

/**
 * How long no living process has held a lease of the default duration, since it was last renewed or given back;
 * infinite for one that nobody has ever held, null while a process holds it.
 */
export async function unheldSeconds(lookups: Lookups, name: string): Promise<number | null> {
  const row = await lookups.maybeOne(sql.type(Unheld)`
    select case when l.holder is null or l.expires_at <= clock_timestamp() or not exists (
        select from pg_stat_activity a
        where a.pid = l.backend_pid and a.backend_start = l.backend_start
      )
      then extract(epoch from clock_timestamp() - l.expires_at
        + case when l.holder is null then 0 else ${TTL_MS} end * interval '1 ms')::float
    end as seconds
    from coordination.leases l where l.name = ${name}`);
  return row === null ? Number.POSITIVE_INFINITY : row.seconds;
}

/**
 * Runs `work` while this process holds the lease `name`: at most one process of the database does,
 * the others stand by. A killed holder is replaced at once, a frozen or disconnected one when its
 * lease has expired. When the lease is lost, the work's signal aborts, and after the work has ended
 * the lease is sought again; likewise after a failure of the database. Returns when the work is done
 * or `signal` has aborted; throws other errors of the work.
 *
 * A process that was frozen learns late that another has taken over, so the work must check the
 * lease's number in each transaction that writes.
 */
export async function withLease(
  url: string,
  name: string,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<void>,
): Promise<void> {
  const settings: Settings = {
    retryMs: SECOND,
    ttlMs: TTL_MS,
    holder: newHolder(),
    log: SILENT,
    ...options,
    name,
  };
  const { signal, retryMs, log, openSocket } = settings;
  while (!signal.aborted) {
    const session = await openSession(url, `lease ${name}`, openSocket).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      log.warn({ err: error, lease: name }, "lease cannot be sought");
    });
    if (session !== undefined && (await holdLease(session, settings, work))) return;
    await sleep(retryMs, signal);
  }
}

/** True when the work is done or `signal` has aborted; false when the lease was lost. */
async function holdLease(
  session: Session,
  settings: Settings,
  work: (lease: Lease) => Promise<void>,
): Promise<boolean> {
  const { name, signal, retryMs, log } = settings;
  const lost = new AbortController();
  const ended = new AbortController();
  const isLost = (): boolean => session.lost.aborted || lost.signal.aborted;
  const either = AbortSignal.any([signal, session.lost, lost.signal]);
  let number: string | null = null;
  try {
    number = await take(session, settings);
    while (number === null) {
      await sleep(retryMs, either);
      if (either.aborted) return signal.aborted;
      number = await take(session, settings);
    }
    log.info({ lease: name }, "lease taken");
    const untilEnded = AbortSignal.any([either, ended.signal]);
    const renewing = keepRenewing(session, settings, number, untilEnded);
    const watching = renewing.then((isHeld) => isHeld || lost.abort());
    try {
      await work({ name, number, signal: either });
    } finally {
      ended.abort();
      await watching;
    }
    return signal.aborted || !isLost();
  } catch (error) {
    if (!isLost() && !isTransient(error)) throw error;
    log.warn({ err: error, lease: name }, "lease lost");
    return signal.aborted;
  } finally {
    if (number !== null && !isLost()) await giveBack(session, name, number);
    await session.close();
  }
}

/** The number of the lease that this session has now; null while another process holds it. */
async function take(
  { client }: Session,
  { name, holder, ttlMs, log }: Settings,
): Promise<string | null> {
  const row = await statementsOn(client).maybeOne(sql.type(Taken)`
    with before as (select holder from coordination.leases where name = ${name}),
    taken as (
      insert into coordination.leases as l
        (name, holder, number, backend_pid, backend_start, expires_at)
      select ${name}, ${holder}, 1, pid, backend_start, clock_timestamp() + ${ttlMs} * interval '1 ms'
      from pg_stat_activity where pid = pg_backend_pid()
      on conflict (name) do update
        set holder = excluded.holder, number = l.number + 1, backend_pid = excluded.backend_pid,
          backend_start = excluded.backend_start, expires_at = excluded.expires_at
        where l.expires_at <= clock_timestamp() or not exists (
          select from pg_stat_activity a
          where a.pid = l.backend_pid and a.backend_start = l.backend_start
        )
      returning l.number::text as number
    )
    select taken.number, before.holder as superseded from taken left join before on true`);
  if (row === null) return null;
  const { number, superseded } = row;
  if (superseded !== null && superseded !== holder) {
    log.info({ lease: name, superseded }, "the lease of a holder that does not renew it was taken");
    await endConnections(client, superseded);
  }
  return number;
}

/** Closes the connections of the previous holder: if it is frozen, they may hold locks. */
async function endConnections(client: Session["client"], holder: string): Promise<void> {
  await statementsOn(client).any(sql.unsafe`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like '% ' || ${holder}`);
}

/** Renews the lease until `signal` aborts, then returns true; false when the lease is lost. */
async function keepRenewing(
  { client }: Session,
  { name, ttlMs, log }: Settings,
  number: string,
  signal: AbortSignal,
): Promise<boolean> {
  let heldUntil = performance.now() + ttlMs;
  for (;;) {
    await sleep(ttlMs / RENEWALS, signal);
    if (signal.aborted) return true;
    const renewedAt = performance.now();
    const renewed = statementsOn(client).run(sql.unsafe`
      update coordination.leases set expires_at = clock_timestamp() + ${ttlMs} * interval '1 ms'
      where name = ${name} and number = ${number}`);
    // A broken connection is reported by the session's own signal.
    const answer = renewed.then((rows) => rows === 1).catch(() => signal.aborted);
    const tooLate = sleep(heldUntil - performance.now(), signal).then(() => signal.aborted);
    if (!(await Promise.race([answer, tooLate]))) {
      log.warn({ lease: name }, "the lease could not be renewed");
      return false;
    }
    heldUntil = renewedAt + ttlMs;
  }
}

async function giveBack({ client }: Session, name: string, number: string): Promise<void> {
  const freed = statementsOn(client).run(sql.unsafe`
    update coordination.leases set holder = null, expires_at = clock_timestamp()
    where name = ${name} and number = ${number}`);
  await freed.catch(() => undefined);
}

export type Presence = Awaited<ReturnType<typeof createPresence>>;

const RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

const KeyRow = z.object({ key: z.string() });

// A bigint advisory lock appears in pg_locks as two halves, with objsubid 1.
const HELD = sql.fragment`
  select (classid::bigint << 32) | objid::bigint as key from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Shows other processes that this one is present, which holds while its database connection lives: takes a
 * session advisory lock on a random key over a connection of its own. When the connection is lost, other processes consider this one dead; it returns with the same key as soon as possible.
 */
export async function createPresence(
  url: string,
  { applicationName = "presence", log = SILENT, openSocket }: ConnectionOptions = {},
) {
  const key = BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()).toString();
  const closing = new AbortController();
  const { signal } = closing;
  const appear = () => sessionOf(key, url, applicationName, openSocket);
  let session = await appear();
  const staying = stay();

  async function stay(): Promise<void> {
    while (!signal.aborted) {
      await untilAborted(AbortSignal.any([session.lost, signal]));
      for (let attempt = 0; session.lost.aborted && !signal.aborted; attempt += 1) {
        await sleep(backoffMs(attempt, RETRY_MS, MAX_RETRY_MS), signal);
        await reappear();
      }
    }
  }

  async function reappear(): Promise<void> {
    try {
      session = await appear();
      log.info({ presence: key }, "presence shown again");
    } catch (error) {
      log.warn({ err: error, presence: key }, "presence cannot be shown");
    }
  }

  /**
   * The elements of `keys` whose process is present.
   * @throws when the database does not answer; then no process is known to be dead
   */
  const alive = (keys: readonly string[]) => heldOf(session, keys);
  return {
    /** Identifies this process; a 63-bit number in decimal text. */
    key,
    alive,
    isAlive: async (other: string) => (await alive([other])).has(other),
    close: async () => {
      closing.abort();
      await staying;
      await session.close();
    },
  };
}

/** A session that holds the lock on a key. */
async function sessionOf(
  key: string,
  ...connection: Parameters<typeof openSession>
): Promise<Session> {
  const opened = await openSession(...connection);
  try {
    await statementsOn(opened.client).any(sql.unsafe`select pg_advisory_lock(${key}::bigint)`);
    return opened;
  } catch (error) {
    await opened.close().catch(() => {});
    throw error;
  }
}

/** Those of the keys on which some process holds the lock. */
async function heldOf({ client }: Session, keys: readonly string[]): Promise<Set<string>> {
  const rows = await statementsOn(client).any(sql.type(KeyRow)`
    select key::text from (${HELD}) held where key = any(${sql.array([...keys], "int8")})`);
  return new Set(rows.map((row) => row.key));
}

/** Another process is doing the same work. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning";
}

/**
 * Runs `work` unless another process of the database runs it under the same name. The work's signal
 * aborts with `signal`, and when the connection that holds the lock is lost.
 * @throws AlreadyRunning
 */
export async function runAlone<T>(
  url: string,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await using session = await openSession(url, `alone: ${name}`);
  if (!(await tryLock(session, name))) throw new AlreadyRunning(`${name} is running already`);
  return await work(AbortSignal.any([signal, session.lost]));
}

const Locked = z.object({ locked: z.boolean() });

/** Tries to take the lock for this session, which then holds it until it ends. */
async function tryLock({ client }: Session, name: string): Promise<boolean> {
  const key = createHash("sha256").update(name).digest().readBigInt64BE().toString();
  const { locked } = await statementsOn(client).one(sql.type(Locked)`
    select pg_try_advisory_lock(${key}::bigint) as locked`);
  return locked;
}

type ListenerOptions = Pick<ConnectionOptions, "openSocket"> & {
  readonly url: string;
  readonly applicationName: string;
  readonly channel: string;
  readonly log: Log;
  /** Called with each notification's payload, and when connected, since some may be missed. */
  readonly onWake: (payload: string) => void;
};

/** LISTENs on `channel` over a connection of its own, which is reopened after every loss. */
export function createListener(options: ListenerOptions) {
  const closing = new AbortController();
  const running = keepListening(options, closing.signal);
  return {
    /** Resolves when the connection is closed; never rejects. */
    close(): Promise<void> {
      closing.abort();
      return running;
    },
  };
}

async function keepListening(options: ListenerOptions, signal: AbortSignal): Promise<void> {
  const backoff = createBackoff({ capMs: 10_000 });
  while (!signal.aborted) {
    try {
      await listen(options, signal, backoff.reset);
    } catch (error) {
      options.log.warn({ err: error, channel: options.channel }, "database listener lost");
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}

/** Returns when `signal` aborts; throws when the connection fails or is lost. */
async function listen(
  { url, applicationName, channel, onWake, openSocket }: ListenerOptions,
  signal: AbortSignal,
  onListening: () => void,
): Promise<void> {
  await using session = await openSession(url, applicationName, openSocket);
  session.onNotification(({ payload = "" }) => onWake(payload));
  await session.client.query(`listen ${session.client.escapeIdentifier(channel)}`);
  onListening();
  onWake("");
  await untilAborted(AbortSignal.any([signal, session.lost]));
  if (session.lost.aborted) throw session.lost.reason;
}
