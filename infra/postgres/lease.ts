import { createHash } from "node:crypto";
import { z } from "zod";
import { sleep } from "./backoff.ts";
import type { OpenSocket } from "./database-watch.ts";
import { isTransient } from "./failures.ts";
import { type Log, SILENT } from "./log.ts";
import { openSession, type Session } from "./session.ts";

export type LeaseOptions = {
  /** Ends the work and the waiting for it. */
  readonly signal: AbortSignal;
  /** How often a process that stands by tries to take over. Default 1 s. */
  readonly retryMs?: number;
  readonly log?: Log;
  /** Of a watch over the database. */
  readonly openSocket?: OpenSocket | undefined;
};

const Locked = z.tuple([z.object({ locked: z.boolean() })]);

/**
 * Runs `work` while this process holds the lease `name`: at most one does over all processes of the
 * database, the others stand by. When the connection that holds it breaks, the work's signal aborts
 * and, once the work has ended, the lease is sought again; so it is when the work fails because the
 * database is away. Returns when the work is done or `signal` has aborted, throws what else the work
 * throws.
 *
 * A process cut off from the database learns of it some moments after another may have taken over:
 * what the work writes must be guarded by itself (a checkpoint that is compared and set).
 */
export async function withLease(
  url: string,
  name: string,
  options: LeaseOptions,
  work: (leaseSignal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { signal, retryMs = 1_000, log = SILENT, openSocket } = options;
  while (!signal.aborted) {
    const session = await openSession(url, `lease ${name}`, openSocket).catch((error: unknown) => {
      if (!isTransient(error)) throw error;
      log.warn({ err: error, lease: name }, "lease cannot be sought");
    });
    if (session !== undefined && (await holdLease(session, name, { signal, retryMs, log }, work)))
      return;
    await sleep(retryMs, signal);
  }
}

/** Whether the work is done or `signal` has aborted; false when the connection was lost. */
async function holdLease(
  session: Session,
  name: string,
  { signal, retryMs, log }: Required<Omit<LeaseOptions, "openSocket">>,
  work: (leaseSignal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const either = AbortSignal.any([signal, session.lost]);
  try {
    while (!(await tryLock(session, name))) {
      await sleep(retryMs, either);
      if (either.aborted) return signal.aborted;
    }
    log.info({ lease: name }, "lease taken");
    await work(either);
    return signal.aborted || !session.lost.aborted;
  } catch (error) {
    if (!session.lost.aborted && !isTransient(error)) throw error;
    log.warn({ err: error, lease: name }, "lease lost");
    return signal.aborted;
  } finally {
    await release(session, name);
  }
}

/** Whether this session has the lease now; it is held until it is released or the session ends. */
export async function tryLock({ client }: Pick<Session, "client">, name: string): Promise<boolean> {
  const query = "select pg_try_advisory_lock($1::bigint) as locked";
  const { rows } = await client.query(query, [lockKey(name)]);
  return Locked.parse(rows)[0].locked;
}

/** Unlocks before closing, so that the lease is free when this returns. */
async function release({ client, lost, close }: Session, name: string): Promise<void> {
  if (!lost.aborted) {
    await client.query("select pg_advisory_unlock($1::bigint)", [lockKey(name)]).catch(() => {});
  }
  await close();
}

function lockKey(name: string): string {
  return createHash("sha256").update(name).digest().readBigInt64BE().toString();
}
