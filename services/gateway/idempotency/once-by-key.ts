import { createHmac, randomUUID } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { FastifyBaseLogger, FastifyRequest } from "fastify";
import { ERRORS, Refusal, RetryLater } from "#contracts/errors.ts";
import type { Operation } from "#contracts/http/operation.ts";
import { unknownCase } from "#contracts/unknown-case.ts";
import type { AnswerToKeep, KeyOwner, StoredAnswer } from "#infra/vault/idempotency-keys.ts";
import type { Reader } from "#projections/read/rights.ts";
import type { Command } from "#services/commands/context.ts";
import { readerOf } from "../auth/caller-keys.ts";
import { errorAnswer, retryAfterSeconds } from "../http/error-answer.ts";
import type { AnyAnswer } from "../http/handler.ts";
import {
  IDEMPOTENCY_KEY,
  parseIdempotencyKey,
  takesIdempotencyKey,
} from "../http/headers/idempotency-key.ts";
import type { Reservations } from "./reservations.ts";
import { answerToKeep, cataloguesIn, replay } from "./stored-answer.ts";

export type Perform = (command: Omit<Command, "actor">) => Promise<AnyAnswer>;

/** Runs a request once per `Idempotency-Key` and repeats its answer afterwards. */
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
    const owner = isKeyed(operation, request) ? ownerOf(request) : null;
    if (owner === null) return perform({ id: randomUUID(), retried: false });
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

/** Whether a request is answered once by its key. */
export function isKeyed(operation: Operation, { actor, headers }: FastifyRequest): boolean {
  // A file is known only once it has been read: its handler looks at the key.
  const takesKey = takesIdempotencyKey(operation) && operation.body !== "file";
  return takesKey && actor !== null && headers["idempotency-key"] !== undefined;
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
async function requireTold(
  answer: StoredAnswer,
  reader: Reader,
  hiddenFrom: HiddenFrom,
): Promise<void> {
  const hidden = await hiddenFrom(cataloguesIn(answer), reader);
  if (hidden.size > 0) throw new Refusal("NOT_FOUND", "Catalogue not found");
}

/** Runs a request and keeps its answer for repetitions. */
async function runOnce(
  reservations: Reservations,
  { success }: Operation,
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
    const { status = success.status, headers = {}, about = owner.userId } = answer;
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

function ownerOf({ actor, headers }: FastifyRequest): KeyOwner | null {
  const key = parseIdempotencyKey(headers["idempotency-key"]);
  return key !== null && actor ? { userId: actor.userId, key } : null;
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
