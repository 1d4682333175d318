import { randomBytes } from "node:crypto";
import { z } from "zod";
import { openSession } from "./session.ts";

/** This process, as the others see it: present while its database connection lives. */
export type Presence = {
  /** Names this process; a 63-bit number as decimal text. */
  readonly key: string;
  /** Aborts when the connection is lost: the others take this process for dead from then on. */
  readonly lost: AbortSignal;
  isAlive(key: string): Promise<boolean>;
  /** Those of `keys` whose process is present. */
  alive(keys: readonly string[]): Promise<Set<string>>;
  close(): Promise<void>;
};

const KeyRows = z.array(z.object({ key: z.string() }));

// A bigint advisory lock appears in pg_locks as two halves, with objsubid 1.
const ALIVE = `
  select key::text from (
    select (classid::bigint << 32) | objid::bigint as key from pg_locks
    where locktype = 'advisory' and objsubid = 1 and granted
      and database = (select oid from pg_database where datname = current_database())
  ) locks
  where key = any($1::bigint[])`;

/** Takes a session advisory lock on a random key, on a connection of its own. */
export async function createPresence(
  url: string,
  { applicationName = "presence" }: { applicationName?: string } = {},
): Promise<Presence> {
  const session = await openSession(url, applicationName);
  const key = randomKey();
  await session.client.query("select pg_advisory_lock($1::bigint)", [key]);

  async function alive(keys: readonly string[]): Promise<Set<string>> {
    const { rows } = await session.client.query(ALIVE, [keys]);
    return new Set(KeyRows.parse(rows).map((row) => row.key));
  }

  return {
    key,
    lost: session.lost,
    alive,
    isAlive: async (other) => (await alive([other])).has(other),
    close: () => session.close(),
  };
}

function randomKey(): string {
  return BigInt.asUintN(63, randomBytes(8).readBigUInt64BE()).toString();
}
