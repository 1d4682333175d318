import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "slonik";
import type { Log } from "#infra/kernel/log.ts";
import type { Statements } from "#infra/postgres/statements.ts";

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
