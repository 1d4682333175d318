/**
 * Requests with an Idempotency-Key are run once, over all gateway processes, and answered again.
 */

import { createHmac, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import type { CommonQueryMethods } from "slonik";
import { z } from "zod";
import { unknownCase } from "#contracts/cases.ts";
import { ERRORS, Refusal, RetryLater } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";
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
import type { Reader } from "#projections/read/rights.ts";
import type { Command } from "#services/context.ts";
import { readerOf } from "../access.ts";
import { errorAnswer, retryAfterSeconds } from "../errors.ts";
import { type AnyAnswer, writeBody } from "../handler.ts";
import { IDEMPOTENCY_KEY, parseIdempotencyKey, REPLAYED } from "../headers.ts";

export type Perform = (command: Omit<Command, "actor">) => Promise<AnyAnswer>;

/** Runs a request that has a key (`isKeyed`) once, and repeats its answer afterwards. */
export type OnceByKey = (
  operation: Operation,
  request: FastifyRequest,
  perform: Perform,
) => Promise<AnyAnswer>;

/**
 * The same key by the same user with the same method, path and body repeats the first answer for 24
 * hours; with another request, or while the first one runs, it is refused. Answers from 500 on, 429 and
 * other refusals that pass by themselves are not stored: the request can be sent again and runs as the same
 * command, so that it finds the first run's events.
 */
export function onceByKey(
  reservations: Reservations,
  secret: string,
  hiddenFrom: HiddenFrom,
): OnceByKey {
  return async (operation, request, perform) => {
    const owner = ownerOf(request);
    const { method, url } = request;
    const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
    const reservation = await reservations.reserve(
      owner,
      await requestHash(secret, { method, url, body }),
    );
    switch (reservation.outcome) {
      case "run": {
        const { commandId: id, retried } = reservation;
        return runOnce(reservations, operation, owner, () => perform({ id, retried }), request.log);
      }
      case "answered":
        await requireThereOrGone(request.missingCatalogue, reservation.answer);
        if (operation.makesCatalogue) {
          await requireTold(reservation.answer, readerOf(request), hiddenFrom);
        }
        return replay(reservation.answer);
      case "running":
        // Its answer is ready a moment later.
        throw new RetryLater(
          "CONFLICT",
          `A request with this ${IDEMPOTENCY_KEY} is still running`,
          1,
        );
      case "another-request":
        throw new Refusal("CONFLICT", `Another request was sent with this ${IDEMPOTENCY_KEY}`);
      default:
        return unknownCase(reservation);
    }
  };
}

/** Those of some catalogues of which a reader may not be told. */
export type HiddenFrom = (ids: readonly string[], reader: Reader) => Promise<ReadonlySet<string>>;

/**
 * @throws Refusal NOT_FOUND where a catalogue is there, but not for the caller any more; and where it was not there
 * the first time, which is answered alike whether there is such a catalogue or not
 */
async function requireThereOrGone(
  missing: FastifyRequest["missingCatalogue"],
  { status }: StoredAnswer,
): Promise<void> {
  if (missing === null) return;
  if (status === ERRORS.NOT_FOUND.status || !(await missing.isGone())) throw missing.refusal;
}

/** @throws Refusal NOT_FOUND where an answer is of a catalogue that is not there for the caller any more */
async function requireTold(answer: StoredAnswer, reader: Reader, hiddenFrom: HiddenFrom) {
  const hidden = await hiddenFrom(cataloguesIn(answer), reader);
  if (hidden.size > 0) throw new Refusal("NOT_FOUND", "Catalogue not found");
}

/** Runs a request and keeps its answer for repetitions. */
async function runOnce(
  reservations: Reservations,
  operation: Operation,
  owner: KeyOwner,
  perform: () => Promise<AnyAnswer>,
  log: FastifyBaseLogger,
): Promise<AnyAnswer> {
  // The effect is done: a failure to store the answer is made up for later, and the client gets
  // its answer.
  const finish = (answer: AnswerToKeep | null) =>
    reservations.finish(owner, answer).catch((error: unknown) => {
      log.warn({ err: error }, "the answer to an idempotency key could not be kept");
    });
  try {
    const answer = await perform();
    const { status = operation.status, headers = {}, about = owner.userId } = answer;
    // Streamed answers are made again.
    const isStreamed = "contentType" in answer;
    const record = isStreamed ? null : answerToKeep({ status, body: answer.body, headers, about });
    await finish(record && answer.isSecret ? { ...record, body: null } : record);
    return answer;
  } catch (error) {
    const { status, body } = errorAnswer(error);
    const passes = retryAfterSeconds(error, status) !== null;
    const answer = passes ? null : { status, body, headers: {}, about: owner.userId };
    await finish(answer && answerToKeep(answer));
    throw error;
  }
}

function ownerOf({ actor, headers }: FastifyRequest): KeyOwner {
  const key = parseIdempotencyKey(headers["idempotency-key"]);
  if (key === null || actor === null) throw new Error("only a request with a key is run once");
  return { userId: actor.userId, key };
}

/** Limit of stored answers; of larger ones only the fact is stored. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** Headers that belong to an answer. Cookies are never stored: they are secrets. */
const KEPT_HEADERS = ["etag", "location"];

const RATE_LIMITED = ERRORS.RATE_LIMIT_EXCEEDED.status;

function answerToKeep({
  status,
  body,
  headers,
  about,
}: Omit<AnswerToKeep, "body"> & { readonly body: unknown }): AnswerToKeep | null {
  if (status >= 500 || status === RATE_LIMITED) return null;
  return {
    status,
    headers: Object.fromEntries(KEPT_HEADERS.flatMap((name) => entryOf(headers, name))),
    body: body === undefined ? null : textToKeep(body),
    about,
  };
}

/** Null for a long one, of which the parts that are JSON already are not looked at. */
function textToKeep(body: unknown): string | null {
  const pieces = writeBody(body);
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  return bytes > MAX_KEPT_BYTES ? null : Buffer.concat(pieces, bytes).toString();
}

function entryOf(headers: Readonly<Record<string, string>>, name: string): [string, string][] {
  const value = headers[name];
  return value === undefined ? [] : [[name, value]];
}

const Made = z.object({ id: z.uuid().optional(), catalogueId: z.uuid().optional() });
const ADDRESS = /^\/api\/catalogues\/([0-9a-f-]{36})/;

/** The catalogues that an answer tells of, where a request has made or changed one. */
function cataloguesIn({ headers, body }: StoredAnswer): readonly string[] {
  const { id, catalogueId } = Made.safeParse(body === null ? {} : JSON.parse(body)).data ?? {};
  const located = ADDRESS.exec(headers["location"] ?? "")?.[1];
  return [id, catalogueId, located].filter((one) => one !== undefined);
}

/** @throws Refusal CONFLICT when the answer is not stored */
function replay({ status, headers, body }: StoredAnswer): AnyAnswer {
  if (body === null) {
    throw new Refusal("CONFLICT", "The request was carried out; its answer was not kept", {
      details: [{ status, ...headers }],
    });
  }
  return { status, body: JSON.parse(body), headers: { ...headers, [REPLAYED]: "true" } };
}

/** Hashed per turn of the event loop: about a millisecond. */
const SLICE_BYTES = 1024 * 1024;

type HashedRequest = {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  readonly body: Buffer;
};

/**
 * HMAC-SHA256 of a request, 32 bytes. With a key, because a body may hold a password, which could be
 * guessed from a plain hash. A large body is hashed in place, slice by slice, with other requests
 * served in between.
 */
export async function requestHash(
  secret: string,
  { method, url, body }: HashedRequest,
): Promise<Buffer> {
  const hash = createHmac("sha256", `idempotency ${secret}`).update(`${method} ${url}\n`);
  for (let start = 0; start < body.length; start += SLICE_BYTES) {
    if (start > 0) await setImmediate();
    hash.update(body.subarray(start, start + SLICE_BYTES));
  }
  return hash.digest();
}

type Reservation =
  /** Run the request now, in this process only; `retried` when an earlier run may have had effects. */
  | { readonly outcome: "run"; readonly commandId: string; readonly retried: boolean }
  | { readonly outcome: "answered"; readonly answer: StoredAnswer }
  | { readonly outcome: "running" }
  | { readonly outcome: "another-request" };

export type Reservations = ReturnType<typeof createReservations>;

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
export function createReservations(deps: ReservationDeps) {
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
    reserve: (owner: KeyOwner, requestHash: Buffer): Promise<Reservation> =>
      inTurn(nameOf(owner), async () => {
        const reservation = await reserveFree(deps, owner, requestHash, isRun);
        if (reservation.outcome === "run") {
          running.add(nameOf(owner));
          unfinished.delete(nameOf(owner));
        }
        return reservation;
      }),
    /** Ends a run with its answer; without one the request may run again. */
    finish: async (owner: KeyOwner, answer: AnswerToKeep | null): Promise<void> => {
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
    /** Completes runs that could not be recorded at their end, and deletes expired keys. */
    sweep: async (): Promise<void> => {
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
