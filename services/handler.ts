/**
 * What a handler gets of a request and what it answers: the contract between gateway and areas.
 */

import { Readable } from "node:stream";
import type { WebSocket } from "@fastify/websocket";
import type { FastifyBaseLogger } from "fastify";
import type { z } from "zod";
import type { Scope } from "#contracts/access-scopes.ts";
import type { Access, Operation, RateClass, Warning } from "#contracts/http/operation.ts";
import type { Operations } from "#contracts/http/table/operations.ts";
import type { RegionArea } from "#contracts/query/filters.ts";
import type { Role } from "#contracts/rights.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { LiveSession } from "#projections/read/accounts.ts";
import type { CatalogueFacts, Reader } from "#projections/read/rights.ts";
import type { CallerNetwork } from "#services/accounts/passwords.ts";
import type { Command } from "./context.ts";
import type { AnswerPlace, AnswerScope } from "./turns.ts";

/**
 * The signed-in caller, read for every request, so that changes of role and active state apply at
 * once.
 */
export type Actor = SessionActor | TokenActor;

export type SessionActor = LiveSession & { readonly token?: undefined };

type TokenActor = Omit<LiveSession, "sessionId"> & {
  readonly sessionId: null;
  /** The access token by which a script speaks for its owner. */
  readonly token: {
    readonly id: string;
    readonly scopes: readonly Scope[];
    /** The only catalogues that are there for it; null for all of its owner's. */
    readonly catalogues: readonly string[] | null;
    /** Of its owner now; the actor's role is no more than what the scopes are for. */
    readonly ownerRole: Role;
  };
};

type Output<S, Otherwise> = S extends z.ZodType ? z.output<S> : Otherwise;

/** Reads at further addresses need no session there. */
type ActorOf<O extends Operation> = O extends { alsoAt: unknown }
  ? Actor | null
  : ActorWith<O["access"], O extends { scope: "session" } ? SessionActor : Actor>;

type ActorWith<A extends Access, Known> = A extends "public" | "readers" ? Known | null : Known;

type BodyOf<B> = B extends "bytes"
  ? Buffer
  : B extends "file"
    ? AsyncIterable<FormPart>
    : Output<B, undefined>;

type NetworkOf<R extends RateClass> = R extends "auth" | "recovery" | "sign-in"
  ? CallerNetwork
  : null;

/** A handler's arguments: authenticated, authorised and validated. */
export type Call<O extends Operation> = {
  readonly params: Output<O["params"], undefined>;
  readonly query: O["query"] extends "fdsn" ? string : Output<O["query"], undefined>;
  readonly body: BodyOf<O["body"]>;
  /** What the answer tells of the body: members that are not known, and what a handler adds. */
  readonly warnings: Warning[];
  readonly actor: ActorOf<O>;
  /** Whether the caller may read only what is public: without a session, and not by a share. */
  readonly isGuest: boolean;
  /** Who reads, for queries. */
  readonly reader: Reader;
  /** What the caller may do with the catalogue that the address names; null where it names none that is there. */
  readonly facts: CatalogueFacts | null;
  /** The sources of that catalogue's merge that are hidden from the caller; null for none. */
  readonly hidden: readonly string[] | null;
  /** What the saved region is now by which the request asks; null for none. */
  readonly regionArea: RegionArea | null;
  readonly command: Command;
  readonly network: NetworkOf<O["rate"]>;
  /** Of the request, by name. */
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** Path and query as received. */
  readonly url: string;
  /** Entity tags of `If-Match`, null when absent. */
  readonly ifMatch: readonly string[] | null;
  /** The `Idempotency-Key` of a request with a file, whose handler looks at it; else null. */
  readonly key: string | null;
  /** The id of the last server-sent event that the client has taken, from `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  /** The media types that the client accepts, from `Accept`. */
  readonly accept: string | undefined;
  /** Whether the client asks for an answer before the work is done (RFC 7240). */
  readonly prefersAsync: boolean;
  /** Owns the answer's resources, and signals when the client is gone. */
  readonly scope: AnswerScope;
  /** Who asks for work that queues; leaves with the answer. */
  readonly asker: Asker;
  /** Waits for the answer's turn among those of a kind. */
  readonly turn: AnswerPlace["turn"];
  readonly log: FastifyBaseLogger;
};

type AnswerHead = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `Set-Cookie` headers, where there are several. */
  readonly cookies?: readonly string[];
  /** The user described in the body, if not the caller: the answer is stored no longer than that user. */
  readonly about?: string;
  /** The body shows a secret: it is not stored for a repetition of the request. */
  readonly isSecret?: boolean;
  /** What was shown of a merge's sources, where the address names no catalogue: it tells answers apart. */
  readonly shown?: Pick<CatalogueFacts, "hidden" | "seesMore">;
  /** For reads of catalogues: whether guests get an answer at this address too; absent for no. */
  readonly isPublic?: boolean;
  /** The address names a version, so the answer stays as it is. */
  readonly isVersioned?: boolean;
  /**
   * Until when (milliseconds since 1970) whoever asks the same may get the same answer, absent for never: it follows
   * from the address, the catalogue as it is shown to its reader, and a region (`gateway/kept.ts`).
   */
  readonly keptUntil?: number | undefined;
  /** The saved region by which it was asked for; the pipeline says so. */
  readonly region?: RegionArea;
};

/** Of an answer that stays as it is as long as its version does. */
export const KEPT = { keptUntil: Number.POSITIVE_INFINITY } as const;

/**
 * An answer that may be large. It is opened only when it is sent, not for HEAD and 304; its pieces
 * take their resources when the first is requested.
 */
type StreamedAnswer = AnswerHead & {
  readonly contentType: string;
  /** It lasts as long as its client listens, so it counts for nothing among other answers. */
  readonly isEndless?: boolean;
  readonly open: () => AnswerPieces;
};

/**
 * A file that stays as it is, of which ranges may be asked for (RFC 9110, 14). Its tag is its SHA-256 (hex); `open`
 * takes the first and the last byte.
 */
export type FileAnswer = AnswerHead & {
  readonly contentType: string;
  readonly file: {
    readonly bytes: number;
    readonly sha256: string;
    readonly open: (from: number, to: number) => AnswerPieces;
  };
};

/** A small answer in another format than JSON of a schema; without text for 204. */
export type TextAnswer = AnswerHead & { readonly contentType: string; readonly text: string };

export type JsonAnswer<O extends Operation> = AnswerHead & {
  readonly body:
    | PartlyWritten<z.input<O["answer"]>>
    | (O extends { accepted: { schema: infer S extends z.ZodType } } ? z.input<S> : never)
    | (O extends { failure: { schema: infer S extends z.ZodType } } ? z.input<S> : never);
};

/** The answer to an upgrade: what is done with the connection. */
export type SocketAnswer = { readonly connect: (socket: WebSocket) => void };

/** A handler's answer; by default with the operation's status. */
export type Answer<O extends Operation> = O extends { upgrade: "websocket" }
  ? SocketAnswer
  : AnswerWithBody<O>;

type AnswerWithBody<O extends Operation> = O extends { contentTypes: readonly string[] }
  ? StreamedAnswer | TextAnswer | FileAnswer
  : O extends { alsoAs: readonly string[] }
    ? JsonAnswer<O> | StreamedAnswer | TextAnswer
    : JsonAnswer<O>;

/** The answer of any operation without an upgrade. */
export type AnyAnswer = JsonAnswer<Operation> | StreamedAnswer | TextAnswer | FileAnswer;

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>;

export type Handlers = { readonly [Id in keyof Operations]: Handler<Operations[Id]> };

/** One part of a form, in order; a file must be read before the next part is available. */
export type FormPart =
  | { readonly kind: "field"; readonly name: string; readonly value: string }
  | FilePart;

export type FilePart = {
  readonly kind: "file";
  readonly name: string;
  /** The client's name for it: not to be used as a path. */
  readonly fileName: string;
  /**
   * Can be read once, or skipped. @throws Refusal FILE_TOO_LARGE at its end, VALIDATION_ERROR when
   * it breaks off
   */
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly skip: () => void;
};

/**
 * A list in an answer's body that is serialised already, in UTF-8: pieces of one or more items, with
 * commas between.
 */
export class JsonList<Item> {
  readonly pieces: readonly Buffer[];
  /** Distinguishes lists by the type of their items. */
  declare readonly means: Item[];

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces;
  }

  toJSON(): Item[] {
    return JSON.parse(`[${this.pieces.join(",")}]`);
  }
}

/** A value in an answer's body that is serialised already, in UTF-8. */
export class JsonItem<Item> {
  readonly bytes: Buffer;
  /** Distinguishes items by their type. */
  declare readonly means: Item;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  toJSON(): Item {
    return JSON.parse(this.bytes.toString());
  }
}

/** Members of bodies that may be long: lists, and items. */
type Listed = "events" | "bins" | "series" | "decisions";
/** A body whose long members may be serialised already. */
export type PartlyWritten<Body> = Body extends object
  ? {
      [Name in keyof Body]: Name extends Listed
        ? Body[Name] | JsonList<Extract<Body[Name], readonly unknown[]>[number]>
        : Name extends "event"
          ? Body[Name] | JsonItem<Body[Name]>
          : Body[Name];
    }
  : Body;

/** The member of a list's answer by which it is read on; none at its end. */
export function following(nextCursor: string | null): { readonly nextCursor?: string } {
  return nextCursor === null ? {} : { nextCursor };
}

/** Serialises a body in pieces; parts that are JSON already are passed through. */
export function writeBody(body: unknown): Buffer[] {
  const members = Object.entries(body as object);
  if (!members.some(([, value]) => value instanceof JsonList || value instanceof JsonItem)) {
    return [Buffer.from(JSON.stringify(body))];
  }
  const pieces: Buffer[] = [];
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const head = `${pieces.length === 0 ? "{" : ","}${JSON.stringify(name)}:`;
    if (value instanceof JsonList) pushList(pieces, head, value.pieces);
    else if (value instanceof JsonItem) pieces.push(Buffer.from(head), value.bytes);
    else pieces.push(Buffer.from(head + JSON.stringify(value)));
  }
  pieces.push(Buffer.from("}"));
  return pieces;
}

const COMMA = Buffer.from(",");

function pushList(pieces: Buffer[], head: string, list: readonly Buffer[]): void {
  pieces.push(Buffer.from(`${head}[`));
  for (const [i, piece] of list.entries()) {
    if (i > 0) pieces.push(COMMA);
    pieces.push(piece);
  }
  pieces.push(Buffer.from("]"));
}

/** The pieces of an answer, made as its client reads them. */
export type AnswerPieces = AsyncGenerator<string | Uint8Array>;

/** Pieces that wait for a slow client; further ones are not made yet. */
const WAITING_PIECES = 4;

/**
 * Streams pieces, each made only after the previous ones were read. The generator is closed when the
 * answer is over, whether or not it ever started, which a stream that was never read does not do.
 * The first piece is made before this resolves, so that an early failure is answered as an error.
 */
export async function answerStream(pieces: AnswerPieces, scope: AnswerScope): Promise<Readable> {
  scope.own(() => pieces.return(undefined));
  const first = await pieces.next();
  return Readable.from(continued(first, pieces), { highWaterMark: WAITING_PIECES });
}

async function* continued(
  first: IteratorResult<string | Uint8Array>,
  rest: AnswerPieces,
): AsyncGenerator<string | Uint8Array> {
  for (let piece = first; !piece.done; piece = await rest.next()) {
    if (piece.value.length > 0) yield piece.value;
  }
}
