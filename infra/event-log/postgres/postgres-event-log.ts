import { sql } from "slonik";
import { type Log, SILENT } from "#infra/kernel/log.ts";
import { type PoolUse, useOfBoth, useOfPgPool } from "#infra/metrics/pool-metrics.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import { createListener } from "#infra/postgres/listener.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { createPreparedStatements } from "#infra/postgres/prepared-statements.ts";
import type { ConnectionOptions } from "#infra/postgres/session.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { createWakeUp } from "../../kernel/wake-up.ts";
import { Unavailable } from "../errors.ts";
import { type EventLog, type OperatedEventLog, type Position, START } from "../event-log.ts";
import { appendEvents } from "./append.ts";
import { appendWithin } from "./append-within.ts";
import {
  cursorOf,
  EVENT_COLUMNS,
  type EventRow,
  ordinalOf,
  toEventValues,
  toRecordedEvent,
} from "./event-row.ts";
import { CHANNEL, createNotifier } from "./notifier.ts";
import { readBackwards, untilReadable } from "./read-backwards.ts";
import { type Stall, watchForStalls } from "./stall.ts";
import { subscription } from "./subscription.ts";

const SECOND = 1_000;

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
  const { log = SILENT, applicationName = "event-log", maxConnections = 8, openSocket } = options;
  const reads = createPreparedStatements(url, {
    applicationName: `${applicationName} reads`,
    log,
    openSocket,
  });
  try {
    await enterEpoch(reads, log);
  } catch (error) {
    await reads.close();
    throw error;
  }

  const appends = createPgPool(url, {
    applicationName,
    maxConnections,
    log,
    settings: BY_INDEX,
    openSocket,
  });
  const closing = new AbortController();
  const wakeUp = createWakeUp();
  const notifier = createNotifier(reads, log);
  const listener = createListener({
    url,
    applicationName: `${applicationName} listener`,
    channel: CHANNEL,
    log,
    openSocket,
    // An append in this process has woken its subscribers already.
    onWake: (payload) => notifier.isOwn(payload) || wakeUp.wake(),
  });
  const monitor = watchForStalls(reads, {
    thresholdMs: options.stallThresholdMs ?? 5 * SECOND,
    log,
    signal: closing.signal,
  });

  const eventAt = (at: Position): Promise<string | null> =>
    reading(async () => {
      const { transactionId, position } = cursorOf(at);
      const row = (await reads.maybeOne(sql.unsafe`
        select event_id as id from event_log.events
        where transaction_id = ${transactionId}::bigint and position = ${position}::bigint`)) as {
        id: string;
      } | null;
      return row?.id ?? null;
    });

  return {
    async append(stream, expectedRevision, events, { timeoutMs = 10 * SECOND } = {}) {
      if (closing.signal.aborted) throw new Unavailable("the event log is closed");
      const values = toEventValues(events);
      const appended = await appendWithin(appends, timeoutMs, (client) =>
        appendEvents(client, stream, expectedRevision, values),
      );
      wakeUp.wake();
      notifier.notify();
      return appended;
    },

    read: (stream, from, limit) =>
      reading(async () => {
        const rows = (await reads.any(sql.unsafe`
          select ${EVENT_COLUMNS} from event_log.events e
          where stream = ${stream} and revision >= ${from}
          order by revision limit ${limit}`)) as readonly EventRow[];
        return rows.map(toRecordedEvent);
      }),

    subscribe: (request) =>
      subscription(
        { reads, wakeUp, log, eventAt },
        { ...request, signal: AbortSignal.any([request.signal, closing.signal]) },
      ),

    readBackwards: (options) =>
      reading(async () => {
        if (options.before === null) await untilReadable(reads, closing.signal);
        return readBackwards(reads, options);
      }),

    head: () =>
      reading(async () => {
        const row = (await reads.maybeOne(sql.unsafe`
          select event_log.position_text(transaction_id, position) as at from event_log.events
          order by transaction_id desc, position desc limit 1`)) as { at: Position } | null;
        return row?.at ?? START;
      }),

    eventAt,

    stall: () => monitor.stall(),
    ordinal: ordinalOf,
    connections: () => useOfBoth(useOfPgPool(appends), reads.inUse()),

    async close() {
      closing.abort();
      await Promise.all([listener.close(), monitor.done, notifier.idle()]);
      await reads.close();
      if (!appends.ending) await appends.end();
    },
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
