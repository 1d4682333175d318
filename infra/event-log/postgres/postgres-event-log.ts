import { SILENT } from "#infra/kernel/log.ts";
import { type PoolUse, useOfBoth, useOfPgPool } from "#infra/metrics/pool-metrics.ts";
import { createListener } from "#infra/postgres/listener.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { createPreparedStatements } from "#infra/postgres/prepared-statements.ts";
import type { ConnectionOptions } from "#infra/postgres/session.ts";
import { createWakeUp } from "../../kernel/wake-up.ts";
import { Unavailable } from "../errors.ts";
import type { EventLog, OperatedEventLog } from "../event-log.ts";
import { appendEvents } from "./append.ts";
import { appendWithin } from "./append-within.ts";
import { enterEpoch } from "./enter-epoch.ts";
import { ordinalOf, toEventValues } from "./event-row.ts";
import { CHANNEL, createNotifier } from "./notifier.ts";
import { readBackwards, untilReadable } from "./read-backwards.ts";
import { createReads, reading } from "./reads.ts";
import { type Stall, watchForStalls } from "./stall.ts";
import { subscription } from "./subscription.ts";

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
