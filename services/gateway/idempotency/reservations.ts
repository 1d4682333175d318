import { randomUUID } from "node:crypto";
import type { CommonQueryMethods } from "slonik";
import { createFairQueue, NOBODY } from "#infra/kernel/fair-queue.ts";
import type { Presence } from "#infra/postgres/coordination.ts";
import {
  type AnswerToKeep,
  claimKey,
  deleteExpiredKeys,
  freeKey,
  type KeyOwner,
  keepAnswer,
  readKey,
  type StoredAnswer,
  takeOverKey,
} from "#infra/vault/idempotency-keys.ts";

type Reservation =
  /** Run the request now, in this process only; `retried` when an earlier run may have had effects. */
  | { readonly outcome: "run"; readonly commandId: string; readonly retried: boolean }
  | { readonly outcome: "answered"; readonly answer: StoredAnswer }
  | { readonly outcome: "running" }
  | { readonly outcome: "another-request" };

export type Reservations = {
  readonly reserve: (owner: KeyOwner, requestHash: Buffer) => Promise<Reservation>;
  /** Ends a run with its answer; without one the request may run again. */
  readonly finish: (owner: KeyOwner, answer: AnswerToKeep | null) => Promise<void>;
  /** Completes runs that could not be recorded at their end, and deletes expired keys. */
  readonly sweep: () => Promise<void>;
};

type ReservationDeps = {
  readonly pool: CommonQueryMethods;
  readonly presence: Pick<Presence, "key" | "isAlive">;
};

const ALL = Number.POSITIVE_INFINITY;
const ONE_OF_A_NAME = { running: ALL, waiting: ALL, runningOfNetwork: 1, waitingOfOne: ALL };

/** Tries after losing a race for a key; each loss means that another process has made progress. */
const MAX_TRIES = 5;

/**
 * The keys of requests, over all gateway processes: a row in PostgreSQL is the reservation. When the
 * process that holds it dies, the key is free again; its command stays the same.
 */
export function createReservations(deps: ReservationDeps): Reservations {
  const { pool, presence } = deps;
  const running = new Set<string>();
  const unfinished = new Map<string, () => Promise<void>>();
  const oneByOne = createFairQueue(ONE_OF_A_NAME);
  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    oneByOne.run({ ...NOBODY, caller: name, network: name }, work);

  /** A reservation of this process without a running request could not be recorded at its end. */
  async function isRun(owner: KeyOwner, worker: string): Promise<boolean> {
    return worker === presence.key ? running.has(nameOf(owner)) : presence.isAlive(worker);
  }

  /** Ends a run that has ended, unless the request runs again already. */
  async function endLate(name: string): Promise<void> {
    await unfinished.get(name)?.();
    unfinished.delete(name);
  }

  return {
    // One at a time: a new reservation must be registered as running before the next one is checked.
    reserve: (owner, requestHash) =>
      inTurn(nameOf(owner), async () => {
        const reservation = await reserveFree(deps, owner, requestHash, isRun);
        if (reservation.outcome === "run") {
          running.add(nameOf(owner));
          unfinished.delete(nameOf(owner));
        }
        return reservation;
      }),
    finish: async (owner, answer) => {
      const end = () =>
        answer ? keepAnswer(pool, owner, presence.key, answer) : freeKey(pool, owner, presence.key);
      try {
        await end();
      } catch (error) {
        unfinished.set(nameOf(owner), end);
        throw error;
      } finally {
        running.delete(nameOf(owner));
      }
    },
    sweep: async () => {
      for (const name of [...unfinished.keys()]) await inTurn(name, () => endLate(name));
      await deleteExpiredKeys(pool);
    },
  };
}

/** @param isRun whether a worker still runs the request of the key */
async function reserveFree(
  { pool, presence }: ReservationDeps,
  owner: KeyOwner,
  requestHash: Buffer,
  isRun: (owner: KeyOwner, worker: string) => Promise<boolean>,
): Promise<Reservation> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const commandId = randomUUID();
    if (await claimKey(pool, owner, { requestHash, commandId, worker: presence.key })) {
      return { outcome: "run", commandId, retried: false };
    }
    const present = await readKey(pool, owner, requestHash);
    if (present === null) continue;
    const { worker, status, headers, body } = present;
    if (!present.sameRequest) return { outcome: "another-request" };
    if (status !== null) {
      return { outcome: "answered", answer: { status, headers: headers ?? {}, body } };
    }
    if (worker !== null && (await isRun(owner, worker))) return { outcome: "running" };
    if (await takeOverKey(pool, owner, { from: worker, to: presence.key })) {
      return { outcome: "run", commandId: present.commandId, retried: true };
    }
  }
  return { outcome: "running" };
}

function nameOf({ userId, key }: KeyOwner): string {
  return `${userId} ${key}`;
}
