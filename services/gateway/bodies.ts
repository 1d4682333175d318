/**
 * How bodies are received: JSON as bytes, all together within a budget of memory, and forms with
 * files part by part.
 */

import type { Readable } from "node:stream";
import multipart, { type MultipartFile } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import { MIB } from "#contracts/units.ts";
import { createGathered, type Gathered } from "#infra/files/spool.ts";
import {
  giveMemoryBack,
  giveMemoryBackNow,
  memoryLimit,
  VERY_LARGE_BYTES,
} from "#infra/process/memory.ts";
import { Overloaded } from "../errors.ts";
import type { FilePart, FormPart } from "../handler.ts";
import type { AnswerScope } from "../turns.ts";

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

/** Bodies up to this size are not counted: their number is limited by that of connections. */
export const SMALL_BODY_BYTES = 64 * 1024;

/** Memory of all requests' bodies together, from their arrival until what they ask for is done. */
export type BodyBudget = ReturnType<typeof createBodyBudget>;

export function createBodyBudget(budgetBytes: number) {
  let held = 0;
  const hasRoom = (bytes: number): boolean => held + bytes <= budgetBytes;
  return {
    hasRoom,
    /**
     * Counts the bytes of one body as they arrive.
     * @returns whether that many more fit
     */
    count(scope: AnswerScope): (bytes: number) => boolean {
      let received = 0;
      let own = 0;
      let isOver = false;
      scope.own(() => {
        isOver = true;
        held -= own;
      });
      return (bytes) => {
        received += bytes;
        const more = Math.max(0, received - SMALL_BODY_BYTES) - own;
        if (isOver || !hasRoom(more)) return false;
        own += more;
        held += more;
        return true;
      };
    },
    /**
     * Counts a body that has arrived for as long as work needs it that outlasts its request.
     * @returns its release
     */
    keep({ byteLength }: Uint8Array): () => void {
      let own = Math.max(0, byteLength - SMALL_BODY_BYTES);
      held += own;
      return () => {
        held -= own;
        own = 0;
      };
    },
  };
}

/**
 * Refuses a body whose declared length does not fit at present, before reading it, so that its
 * client gets the answer and may keep the connection. Files in forms do not count: they go to disk.
 */
export function registerBodyBudget(app: FastifyInstance, budget: BodyBudget): void {
  app.addHook("preParsing", async ({ headers, routeOptions }) => {
    if (routeOptions.config.operation?.body === "file") return;
    if (!budget.hasRoom(Number(headers["content-length"] ?? 0) - SMALL_BODY_BYTES)) {
      throw tooManyBodies();
    }
  });
}

const tooManyBodies = (): Overloaded =>
  new Overloaded("Too many large bodies are being read; try again");

const MOST_BYTES = 512 * MIB;

/** Limit of all bodies in memory: at most a quarter of it, and at least one of the largest. */
export function bodyBudget(maxBodyBytes: number): number {
  return Math.max(maxBodyBytes, Math.min(MOST_BYTES, memoryLimit() / 4));
}

/** Generous size of other fields' names and values, of boundaries and part headers. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
const MAX_FIELDS = 16;
const MAX_FILES = 4;
const MAX_FIELD_BYTES = 1024;

/**
 * Lets the routes of `app` accept forms with files; a body of another type is left unread and has no
 * parts. A body whose declared length exceeds any form's is refused before reading.
 */
export async function registerMultipart(app: FastifyInstance, maxFileBytes: number): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      fileSize: maxFileBytes,
      files: MAX_FILES,
      fields: MAX_FIELDS,
      fieldSize: MAX_FIELD_BYTES,
    },
  });
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.addHook("preParsing", async (request, reply) => {
    // A malformed content type counts as none.
    if (!request.mediaType) delete request.headers["content-type"];
    if (Number(request.headers["content-length"] ?? 0) <= maxFileBytes + FORM_OVERHEAD_BYTES)
      return;
    // The rest of the body will not be read.
    reply.header("connection", "close");
    throw new Refusal("FILE_TOO_LARGE");
  });
  app.addHook("onError", async ({ raw }) => {
    if (raw.complete) return;
    // For an abandoned form: its unread rest would block the connection's next request.
    raw.unpipe();
    raw.resume();
  });
}

/** The parts of a request's form; none for another body. @throws Refusal VALIDATION_ERROR */
export async function* formParts(request: FastifyRequest): AsyncGenerator<FormPart> {
  if (!request.isMultipart()) return;
  try {
    for await (const part of request.parts()) {
      if (part.type === "file") yield filePart(part);
      // A part without a name has none here either, whatever its type says.
      else yield { kind: "field", name: part.fieldname ?? "", value: String(part.value) };
    }
  } catch (cause) {
    throw malformed(cause);
  }
}

function filePart({ fieldname, filename, file }: MultipartFile): FilePart {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* file;
    } catch (cause) {
      throw malformed(cause);
    }
    if (file.truncated) throw new Refusal("FILE_TOO_LARGE");
  }
  return {
    kind: "file",
    name: fieldname ?? "",
    fileName: filename ?? "",
    bytes: bytes(),
    skip: () => file.resume(),
  };
}

function malformed(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause;
  return new Refusal("VALIDATION_ERROR", "The body is not a complete multipart form", { cause });
}
