import { createHash } from "node:crypto";
import { sql } from "slonik";
import { z } from "zod";
import { openSession, type Session } from "./session.ts";
import { statementsOn } from "./statements.ts";

/** Another process is doing the same work. */
export class AlreadyRunning extends Error {
  override readonly name = "AlreadyRunning";
}

/**
 * Runs `work` unless another process of the database runs it under the same name. The work's signal
 * aborts with `signal`, and when the connection that holds the lock is lost.
 * @throws AlreadyRunning
 */
export async function runAlone<T>(
  url: string,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  await using session = await openSession(url, `alone: ${name}`);
  if (!(await tryLock(session, name))) throw new AlreadyRunning(`${name} is running already`);
  return await work(AbortSignal.any([signal, session.lost]));
}

const Locked = z.object({ locked: z.boolean() });

/** Tries to take the lock for this session, which then holds it until it ends. */
async function tryLock({ client }: Session, name: string): Promise<boolean> {
  const key = createHash("sha256").update(name).digest().readBigInt64BE().toString();
  const { locked } = await statementsOn(client).one(sql.type(Locked)`
    select pg_try_advisory_lock(${key}::bigint) as locked`);
  return locked;
}
