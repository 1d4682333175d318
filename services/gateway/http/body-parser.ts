import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import { createGathered, type Gathered } from "#infra/files/gathered.ts";
import { giveMemoryBack } from "#infra/lifecycle/memory.ts";
import { type BodyBudget, SMALL_BODY_BYTES, tooManyBodies } from "../capacity/body-budget.ts";

/** A body of more bytes is collected as garbage soon after its answer. */
const WORTH_COLLECTING = 4 * 1024 ** 2;

/**
 * JSON bodies arrive as bytes: each operation reads them as its table entry says, large ones off
 * the main thread. Every other content type is 415.
 */
export function registerBodyParser(app: FastifyInstance, budget: BodyBudget): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/,
    (request: FastifyRequest, payload: Readable) => readBody(request, payload, budget),
  );
}

/**
 * The body in one piece. Fastify's own reading keeps the chunks as they come in, each with some 370 bytes
 * of its own: a megabyte sent byte by byte would take 370 MB.
 */
function readBody(
  { headers, routeOptions, scope }: FastifyRequest,
  payload: Readable,
  budget: BodyBudget,
): Promise<Buffer> {
  const limit = routeOptions.bodyLimit;
  const declared = Number(headers["content-length"]);
  if (declared > limit) throw new Refusal("BODY_TOO_LARGE");
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
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
    // What still comes is let by: the connection may be used again.
    payload.off("data", onData).off("end", onEnd).resume();
    reject(error);
  };
  payload.on("data", onData).on("end", onEnd).on("error", onError);
  return promise;
}

/** A large body of a known length, in memory that threads share: it is handed to another one uncopied. */
function createSharedBody(length: number): Gathered {
  // The system gives the pages when they are written to.
  const bytes = Buffer.from(new SharedArrayBuffer(length));
  let end = 0;
  return {
    add(piece) {
      // More than was declared is refused by its length alone.
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
