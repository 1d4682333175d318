import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import { createGathered, type Gathered } from "#infra/files/spool.ts";
import { giveMemoryBack, giveMemoryBackNow, VERY_LARGE_BYTES } from "#infra/process/memory.ts";
import { type BodyBudget, SMALL_BODY_BYTES, tooManyBodies } from "../capacity/body-budget.ts";

/** After larger bodies, garbage is collected soon after the answer. */
const WORTH_COLLECTING = 4 * 1024 ** 2;

/**
 * Receives JSON bodies as bytes, which each operation parses according to its table entry, large
 * ones off the main thread. Other content types and charsets, and compressed bodies, are 415.
 */
export function registerBodyParser(app: FastifyInstance, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/,
    (request: FastifyRequest, payload: Readable) => readBody(request, payload, budget),
  );
}

/**
 * Reads the body into one piece. Fastify's own reader keeps the chunks as they arrive, each with an
 * overhead of some 370 bytes: a megabyte sent byte by byte would take 370 MB.
 */
function readBody(
  { headers, routeOptions, scope }: FastifyRequest,
  payload: Readable,
  budget: BodyBudget,
): Promise<Buffer> {
  requirePlainUtf8(headers);
  const limit = routeOptions.bodyLimit;
  const declared = Number(headers["content-length"]);
  if (declared > limit) throw new Refusal("BODY_TOO_LARGE");
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  if (declared > VERY_LARGE_BYTES) giveMemoryBackNow();
  const body = declared > SMALL_BODY_BYTES ? createSharedBody(declared) : createGathered();
  scope.own(() => {
    if (body.length() > WORTH_COLLECTING) giveMemoryBack();
  });
  const count = budget.count(scope);
  const onData = (bytes: Uint8Array): void => {
    if (count(bytes.length)) body.add(bytes);
    else fail(tooManyBodies());
    if (body.length() > limit) fail(new Refusal("BODY_TOO_LARGE"));
  };
  const onEnd = (): void => {
    if (!Number.isNaN(declared) && declared !== body.length()) fail(brokenOff());
    else resolve(joined(body));
  };
  const onError = (cause: unknown): void =>
    fail(cause instanceof Refusal ? cause : brokenOff(cause));
  const fail = (error: Refusal): void => {
    // The rest is discarded, so that the connection can be reused.
    payload.off("data", onData).off("end", onEnd).resume();
    reject(error);
  };
  payload.on("data", onData).on("end", onEnd).on("error", onError);
  return promise;
}

const CHARSET = /;\s*charset="?([^\s;"]*)/i;

/** JSON is UTF-8 (RFC 8259). @throws Refusal UNSUPPORTED_MEDIA_TYPE */
function requirePlainUtf8(headers: FastifyRequest["headers"]): void {
  const [, charset = "utf-8"] = CHARSET.exec(headers["content-type"] ?? "") ?? [];
  const coding = headers["content-encoding"] ?? "identity";
  if (/^(?:utf-?8|us-ascii)$/i.test(charset) && /^identity$/i.test(coding)) return;
  throw new Refusal("UNSUPPORTED_MEDIA_TYPE", "JSON is read in UTF-8, without compression");
}

/**
 * A large body of known length in shared memory, so that it can be passed to another thread without
 * a copy.
 */
function createSharedBody(length: number): Gathered {
  // The operating system allocates pages when they are written.
  const bytes = Buffer.from(new SharedArrayBuffer(length));
  let end = 0;
  return {
    add(piece) {
      // Surplus bytes are dropped here; the length check refuses the body.
      if (end + piece.length <= length) bytes.set(piece, end);
      end += piece.length;
    },
    length: () => end,
    pieces: () => [bytes],
  };
}

function joined(body: Gathered): Buffer {
  const [first, ...others] = body.pieces();
  const isWhole = first instanceof Buffer && others.length === 0;
  return isWhole ? first : Buffer.concat(body.pieces(), body.length());
}

function brokenOff(cause?: unknown): Refusal {
  return new Refusal("VALIDATION_ERROR", "The body is not as long as it claims", { cause });
}
