import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "#contracts/errors.ts";
import { createGathered, type Gathered } from "#infra/files/gathered.ts";
import { type BodyBudget, SMALL_BODY_BYTES, tooManyBodies } from "./body-budget.ts";

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
  if (declared > limit) throw new ApiError("BODY_TOO_LARGE");
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const body = createGathered();
  const count = budget.count(scope);
  const onData = (bytes: Uint8Array): void => {
    if (count(bytes.length)) body.add(bytes);
    else fail(tooManyBodies());
    if (body.length() > limit) fail(new ApiError("BODY_TOO_LARGE"));
  };
  const onEnd = (): void => {
    if (!Number.isNaN(declared) && declared !== body.length()) fail(brokenOff());
    else resolve(joined(body));
  };
  const onError = (cause: unknown): void =>
    fail(cause instanceof ApiError ? cause : brokenOff(cause));
  const fail = (error: ApiError): void => {
    // What still comes is let by: the connection may be used again.
    payload.off("data", onData).off("end", onEnd).resume();
    reject(error);
  };
  payload.on("data", onData).on("end", onEnd).on("error", onError);
  return promise;
}

/** Large bodies lie in memory that threads share: what is handed to another one is not copied. */
function joined(body: Gathered): Buffer {
  const length = body.length();
  if (length <= SMALL_BODY_BYTES) return Buffer.concat(body.pieces(), length);
  const bytes = Buffer.from(new SharedArrayBuffer(length));
  let end = 0;
  for (const piece of body.pieces()) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

function brokenOff(cause?: unknown): ApiError {
  return new ApiError("VALIDATION_ERROR", "The body is not as long as it claims", { cause });
}
