/** Opens the configured event log, and watches one outside the database. */

import { sleep } from "#infra/kernel/waiting.ts";
import type { ConnectionOptions, Log } from "#infra/postgres/connection.ts";
import { createPgPool } from "#infra/postgres/pool.ts";
import { Ambiguous, LogMismatch, type OperatedEventLog, Unavailable } from "./event-log.ts";
import {
  type KnownLog,
  recogniseLog,
  requireKnownLog,
  requireSameLog,
  UnusableEventStore,
} from "./known-log.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";

/** An open log, and its epoch for entity tags. */
export type OpenedLog = Pick<KnownLog, "epoch"> & { readonly log: OperatedEventLog };

/**
 * Opens the configured event log after verifying that the database's checkpoints belong to it. An
 * event store is watched while it is open; a log in PostgreSQL is always restored together with its
 * checkpoints.
 * @throws UnusableEventStore, LogMismatch
 */
export async function openKnownLog(options: OpenEventLogOptions): Promise<OpenedLog> {
  const { databaseUrl, log: logger } = options;
  const opened = await openEventLog(options);
  const pool = createPgPool(databaseUrl, {
    applicationName: "log watch",
    maxConnections: 1,
    log: logger,
  });
  try {
    const { epoch } = await recogniseLog(opened, pool, () => new Date());
    if (opened.kind === "event_log") {
      await pool.end();
      return { log: opened, epoch };
    }
    const watched = watchLog(opened, () => requireKnownLog(opened, pool), logger);
    const close = () => watched.close().finally(() => pool.end());
    return { log: { ...watched, close }, epoch };
  } catch (error) {
    await opened.close();
    if (!pool.ending) await pool.end();
    throw error;
  }
}

const EVERY_MS = 2_000;
/** Longest wait of an append for the comparison, since its caller has limited time. */
const APPEND_WAITS_MS = 3_000;

/**
 * Wraps a log so that it refuses appends while it is not the log that the read models were built
 * from: an event store may be restored from a backup while the service runs. The comparison runs
 * every few seconds, and before the first append after a failed one, since a returning server may be
 * another.
 * @param requireKnown compares the log with its checkpoints; throws LogMismatch, Unavailable
 */
function watchLog(
  log: OperatedEventLog,
  requireKnown: () => Promise<void>,
  logger: Log,
): OperatedEventLog {
  const closing = new AbortController();
  const comparison = createComparison(requireKnown, logger);

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      await comparison.compare();
      await sleep(EVERY_MS, closing.signal);
    }
  }

  const watching = watch();
  return {
    ...log,
    mismatch: comparison.mismatch,
    async append(...append) {
      if (!comparison.isCertain()) {
        await Promise.race([comparison.compare(), sleep(APPEND_WAITS_MS, closing.signal)]);
      }
      const mismatch = comparison.mismatch();
      if (mismatch !== null) throw mismatch;
      if (!comparison.isCertain()) {
        throw new Unavailable("the event log cannot be compared with its readers");
      }
      try {
        return await log.append(...append);
      } catch (error) {
        if (error instanceof Unavailable || error instanceof Ambiguous) comparison.doubt();
        throw error;
      }
    },
    async close() {
      closing.abort();
      await watching;
      await log.close();
    },
  };
}

/** What the latest comparison of the log with its checkpoints has shown; those who compare at once share one. */
function createComparison(requireKnown: () => Promise<void>, logger: Log) {
  let mismatch: LogMismatch | null = null;
  let isCertain = true;
  let comparing: Promise<void> | null = null;

  async function compareOnce(): Promise<void> {
    try {
      await requireKnown();
      if (mismatch !== null) logger.info({}, "the event log is the known one again");
      mismatch = null;
      isCertain = true;
    } catch (error) {
      isCertain = false;
      if (!(error instanceof LogMismatch)) return;
      if (mismatch === null) logger.warn({ err: error }, "changes are refused");
      mismatch = error;
    }
  }

  return {
    compare(): Promise<void> {
      comparing ??= compareOnce().finally(() => {
        comparing = null;
      });
      return comparing;
    },
    mismatch: () => mismatch,
    isCertain: () => isCertain,
    doubt: () => {
      isCertain = false;
    },
  };
}

type OpenEventLogOptions = ConnectionOptions & {
  /** URL of a migrated database. */
  readonly databaseUrl: string;
  /** Null: the log is in the database. */
  readonly eventStoreUrl: string | null;
  readonly log: Log;
  readonly maxConnections?: number;
};

/**
 * Opens the configured event log and waits until it answers.
 * @throws UnusableEventStore when the event store does not answer, or the log is in the other place
 */
export async function openEventLog(options: OpenEventLogOptions): Promise<OperatedEventLog> {
  const { databaseUrl, eventStoreUrl, log, ...connections } = options;
  await requireSameLog(databaseUrl, eventStoreUrl);
  if (eventStoreUrl === null) {
    const opened = await createPostgresEventLog(databaseUrl, { ...connections, log });
    return { ...opened, kind: "event_log", mismatch: () => null };
  }
  // Loading the client takes 0.3 s, which a service without an event store saves.
  const { createEventStoreDbEventLog } = await import("./eventstoredb-event-log.ts");
  const opened = createEventStoreDbEventLog(eventStoreUrl, { log });
  try {
    await opened.head();
  } catch (cause) {
    await opened.close();
    throw new UnusableEventStore(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  return {
    ...opened,
    kind: "event_store",
    stall: () => null,
    mismatch: () => null,
    connections: null,
  };
}
