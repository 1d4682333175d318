import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "slonik";
import type { Log } from "#infra/postgres/log.ts";
import type { Statements } from "#infra/postgres/prepared-statements.ts";

export const CHANNEL = "event_log";

/** Who listens holds an advisory lock (this, his number): what nobody hears need not be said. */
const LISTENING = 1_818_850_164;
const NUMBERS = 2 ** 31;

/** Between two notifications: each wakes every subscriber of every process. */
const SPACING_MS = 10;
/** How long nobody is taken to have come: as long as he would sleep between two polls. */
const ALONE_MS = 1_000;

export type Notifier = {
  /** Tells every other process that something was appended; many calls become one notification. */
  notify(): void;
  /** Whether the text of a notification says that this notifier has sent it. */
  isOwn(payload: string): boolean;
  /** What the connection that listens asks first, so that the others know of it. */
  readonly shownBy: string;
  /** Resolves when none is under way. */
  idle(): Promise<void>;
};

/**
 * Sends NOTIFY after an append has committed and outside its transaction, where it would serialise
 * all commits of the database; at most one is under way, so a burst of appends costs a few. The
 * subscribers of this process are woken without it, and where there is no other it is not sent.
 */
export function createNotifier(statements: Pick<Statements, "any">, log: Log): Notifier {
  const sender = randomInt(NUMBERS);
  // A lost notification is made good by polling: its commit need not wait for the disk.
  const send = sql.unsafe`
    select set_config('synchronous_commit', 'off', true), pg_notify(${CHANNEL}, ${String(sender)}),
      exists (
        select from pg_locks
        where locktype = 'advisory' and classid = ${LISTENING} and objid <> ${sender}
          and objsubid = 2 and granted
          and database = (select oid from pg_database where datname = current_database())
      ) as heard`;
  let wanted = false;
  let running: Promise<void> | null = null;
  let aloneUntil = 0;

  async function run(): Promise<void> {
    while (wanted) {
      wanted = false;
      try {
        const [row] = (await statements.any(send)) as readonly { heard: boolean }[];
        if (row?.heard === false) aloneUntil = performance.now() + ALONE_MS;
      } catch (error) {
        log.warn({ err: error }, "subscribers are not notified, they poll");
      }
      if (wanted) await delay(SPACING_MS);
    }
    running = null;
  }

  return {
    notify() {
      if (performance.now() < aloneUntil) return;
      wanted = true;
      running ??= run();
    },
    isOwn: (payload) => payload === String(sender),
    shownBy: `select pg_advisory_lock_shared(${LISTENING}, ${sender})`,
    idle: async () => {
      await running;
    },
  };
}
