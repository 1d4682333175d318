import { sql } from "slonik";
import { sleep } from "#infra/kernel/backoff.ts";
import type { Log } from "#infra/kernel/log.ts";
import { isTransient } from "#infra/postgres/failures.ts";
import type { Lookups } from "#infra/postgres/statements.ts";

/** A transaction that keeps committed events unreadable, as shown by pg_stat_activity. */
export type Stall = {
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
export function watchForStalls(
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
