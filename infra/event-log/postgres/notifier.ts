import { setTimeout as delay } from "node:timers/promises";
import { type CommonQueryMethods, sql } from "slonik";
import type { Log } from "#infra/postgres/log.ts";

export const CHANNEL = "event_log";

/** Between two notifications: each wakes every subscriber of every process. */
const SPACING_MS = 10;

export type Notifier = {
  /** Tells every process that something was appended; many calls become one notification. */
  notify(): void;
  /** Resolves when none is under way. */
  idle(): Promise<void>;
};

/**
 * Sends NOTIFY after an append has committed and outside its transaction, where it would serialise
 * all commits of the database; at most one is under way, so a burst of appends costs a few. The
 * subscribers of this process are woken without it.
 */
export function createNotifier(database: CommonQueryMethods, log: Log): Notifier {
  let wanted = false;
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (wanted) {
      wanted = false;
      try {
        await database.query(SEND);
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
    idle: async () => {
      await running;
    },
  };
}

/** A lost notification is made good by polling: its commit need not wait for the disk. */
const SEND = sql.unsafe`
  select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, '')`;
