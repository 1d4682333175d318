import { randomBytes } from "node:crypto";
import { sql } from "slonik";
import { z } from "zod";
import { backoffMs, sleep, untilAborted } from "../kernel/backoff.ts";
import { SILENT } from "../kernel/log.ts";
import { type ConnectionOptions, openSession, type Session } from "./session.ts";
import { statementsOn } from "./statements.ts";

/** Shows other processes that this one is present, which holds while its database connection lives. */
export type Presence = {
  /** Identifies this process; a 63-bit number in decimal text. */
  readonly key: string;
  isAlive(key: string): Promise<boolean>;
  /**
   * The elements of `keys` whose process is present.
   * @throws when the database does not answer; then no process is known to be dead
   */
  alive(keys: readonly string[]): Promise<Set<string>>;
  close(): Promise<void>;
};

const RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

const KeyRow = z.object({ key: z.string() });

// A bigint advisory lock appears in pg_locks as two halves, with objsubid 1.
const HELD = sql.fragment`
  select (classid::bigint << 32) | objid::bigint as key from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Takes a session advisory lock on a random key over a connection of its own. When the connection is
 * lost, other processes consider this one dead; it returns with the same key as soon as possible.
 */
export async function createPresence(
  url: string,
  { applicationName = "presence", log = SILENT, openSocket }: ConnectionOptions = {},
): Promise<Presence> {
  const key = randomKey();
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

  const alive = (keys: readonly string[]) => heldOf(session, keys);
  return {
    key,
    alive,
    isAlive: async (other) => (await alive([other])).has(other),
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

function randomKey(): string {
  return BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()).toString();
}
