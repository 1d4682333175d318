import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "pg";

/** Another service uses the same DATA_DIR. */
export class DataDirInUse extends Error {
  override readonly name = "DataDirInUse";
  readonly dataDir: string;

  constructor(dataDir: string) {
    super(`Another service is using this DATA_DIR: ${dataDir}`);
    this.dataDir = dataDir;
  }
}

/** Any fixed number: advisory locks are per database, and this database has no other. */
const SERVICE_LOCK_KEY = 7_202_431;

/** PostgreSQL detects within this time that the lock's holder was killed. */
const RELEASE_MS = 1_500;
const RETRY_MS = 50;

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock($1) as locked",
    [SERVICE_LOCK_KEY],
  );
  return rows[0]?.locked === true;
}

/**
 * Takes the lock for the only service in `dataDir`; it is held until the connection ends.
 * @throws DataDirInUse
 */
export async function takeServiceLock(client: Client, dataDir: string): Promise<void> {
  const deadline = Date.now() + RELEASE_MS;
  while (!(await tryLock(client))) {
    if (Date.now() >= deadline) throw new DataDirInUse(dataDir);
    await delay(RETRY_MS);
  }
}
