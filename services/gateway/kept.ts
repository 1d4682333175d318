/**
 * Answers that are given again as they were sent. A version never changes, so what is read of one follows from the
 * address, the catalogue as the reader may see it, and a region: by these it is kept, and only after the right to
 * read was looked up for the request.
 */

import { createHash } from "node:crypto";
import { isReadable, pipeline, type Readable, Transform } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "#contracts/http/operation.ts";
import { MIB } from "#contracts/units.ts";
import type { Recent } from "#infra/kernel/recent.ts";
import type { Regions } from "#services/regions/commands.ts";
import type { AnyAnswer } from "../handler.ts";
import { askedTime } from "../headers.ts";

/** Of one answer as it is sent; of all together that are not yet sent whole. */
const MOST_BYTES = 16 * MIB;
/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 1_000;

type Head = {
  readonly [K in "headers" | "isPublic" | "isVersioned" | "region"]: AnyAnswer[K] | undefined;
};

/** An answer as it was sent. */
export type KeptAnswer = Head & {
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly contentType: string;
  /** Its content coding; null for none. */
  readonly coding: string | null;
  readonly bytes: Buffer;
};

type Sent = Pick<KeptAnswer, "contentType" | "coding" | "bytes">;

/** How an answer is kept once it is sent. */
type Keeping = {
  readonly key: string;
  readonly head: Head & Pick<KeptAnswer, "until">;
  /** Of `performance.now()`. */
  readonly began: number;
};

export type KeptAnswers = ReturnType<typeof createKeptAnswers>;

declare module "fastify" {
  interface FastifyRequest {
    /** How the answer is kept; null where it is not. */
    keeping: Keeping | null;
  }
}

/**
 * @param memory that others may use too
 * @param onRepeated called for each answer that is given again
 */
export function createKeptAnswers(
  memory: Recent<object>,
  { find: findRegion }: Regions,
  now: () => Date,
  onRepeated: () => void = () => undefined,
) {
  return {
    /** What was answered to the same question; null for none. */
    async find(key: string): Promise<KeptAnswer | null> {
      const kept = memory.get(key) as KeptAnswer | undefined;
      if (kept === undefined) return null;
      const { region, until } = kept;
      const isSame = !region || (await findRegion(region.id))?.revision === region.revision;
      if (!isSame || now().getTime() >= until) {
        memory.drop(key);
        return null;
      }
      onRepeated();
      return memory.keep(key, kept);
    },
    keep({ key, head, began }: Keeping, { bytes: sent, ...form }: Sent): void {
      // What is sent may be a part of a larger piece of memory, which would stay with it.
      const bytes = Buffer.allocUnsafeSlow(sent.length);
      sent.copy(bytes);
      const kept = { ...head, ...form, bytes };
      memory.keep(key, kept, bytes.length + ENTRY_BYTES, performance.now() - began);
    },
  };
}

/** How an answer is kept; null where it is not. @param began of `performance.now()` */
export function keepingOf(
  key: string | null,
  { keptUntil: until, headers, isPublic, isVersioned, region }: AnyAnswer,
  began: number,
): Keeping | null {
  if (key === null || until === undefined) return null;
  return { key, head: { until, headers, isPublic, isVersioned, region }, began };
}

/**
 * A hash of all that an answer follows from but a region; null where it may follow from more.
 * The headers are those by which it is coded, and by which its format is chosen.
 */
export function keyOf(operation: Operation, request: FastifyRequest): string | null {
  const { catalogueFacts: facts, headers, actor, sharedCatalogue, url } = request;
  if (request.method !== "GET" || facts === null) return null;
  if (askedTime(operation, request) !== null) return null;
  const { id, key, version, publicFrom, hidden, seesMore } = facts;
  const { name, metadata, updatedAt } = facts;
  const { accept, "accept-encoding": coding, "x-no-compression": uncoded } = headers;
  const isGuest = actor === null && sharedCatalogue === null;
  const reader = [isGuest, hidden, seesMore];
  const catalogue = [id, key, version, publicFrom, name, metadata, updatedAt];
  const question = [operation.id, url, accept, coding, uncoded, reader, catalogue];
  return createHash("sha256").update(JSON.stringify(question)).digest("base64url");
}

/** Keeps what is sent, where the request says how. After the plugin that codes answers, whose hooks come first then. */
export function registerKeeping(app: FastifyInstance, { keep }: KeptAnswers): void {
  app.decorateRequest("keeping", null);
  let collecting = 0;

  app.addHook("onRoute", (route) => {
    if (route.method === "GET") route.onSend = [...[route.onSend ?? []].flat(), collect];
  });

  async function collect({ keeping }: FastifyRequest, reply: FastifyReply, payload: unknown) {
    if (keeping === null || reply.statusCode !== 200) return payload;
    const contentType = String(reply.getHeader("content-type"));
    const coding = (reply.getHeader("content-encoding") as string | undefined) ?? null;
    const keepBytes = (bytes: Buffer) => keep(keeping, { contentType, coding, bytes });
    // That of the coder is made by another copy of the library.
    if (isReadable(payload as Readable)) return collected(payload as Readable, keepBytes);
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    if (bytes instanceof Buffer && bytes.length <= MOST_BYTES) keepBytes(bytes);
    return payload;
  }

  /** The stream, of which `take` gets all bytes once it has ended, unless they are too many. */
  function collected(stream: Readable, take: (bytes: Buffer) => void): Readable {
    let pieces: Buffer[] | null = [];
    let size = 0;
    const giveUp = (): void => {
      collecting -= size;
      size = 0;
      pieces = null;
    };
    const passing = new Transform({
      transform(piece: Buffer, _coding, done) {
        if (collecting + piece.length > MOST_BYTES) giveUp();
        if (pieces !== null) {
          pieces.push(piece);
          size += piece.length;
          collecting += piece.length;
        }
        done(null, piece);
      },
      flush(done) {
        if (pieces !== null) take(Buffer.concat(pieces));
        done();
      },
    });
    passing.once("close", giveUp);
    // Its errors are told to whom it is sent.
    return pipeline(stream, passing, () => undefined);
  }
}
