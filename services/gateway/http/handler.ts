import type { FastifyBaseLogger } from "fastify";
import type { z } from "zod";
import type { Access, Operation, RateClass } from "#contracts/http/operation.ts";
import type { Operations } from "#contracts/http/operations.ts";
import type { Role } from "#contracts/roles.ts";
import type { CallerNetwork } from "#services/commands/accounts/caller-network.ts";
import type { Command } from "#services/commands/context.ts";
import type { AnswerPlace } from "../capacity/answer-places.ts";
import type { AnswerScope } from "../capacity/answer-scope.ts";
import type { AnswerPieces } from "./answer-stream.ts";
import type { FormPart } from "./form-part.ts";
import type { PartlyWritten } from "./json-text.ts";

/** The signed-in caller, read anew for every request: role and active state bite at once. */
export type Actor = {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly sessionId: string;
  /** ISO 8601; when the session ends. */
  readonly expires: string;
};

type Output<S, Otherwise> = S extends z.ZodType ? z.output<S> : Otherwise;

type ActorOf<A extends Access> = A extends "public" | "readers" ? Actor | null : Actor;

type BodyOf<B> = B extends "events"
  ? Buffer
  : B extends "file"
    ? AsyncIterable<FormPart>
    : Output<B, undefined>;

type NetworkOf<R extends RateClass> = R extends "auth" | "sign-in" ? CallerNetwork : null;

/** What a handler gets: everything already authenticated, authorised and validated. */
export type Call<O extends Operation> = {
  readonly params: Output<O["params"], undefined>;
  readonly query: Output<O["query"], undefined>;
  readonly body: BodyOf<O["body"]>;
  readonly actor: ActorOf<O["access"]>;
  readonly command: Command;
  readonly network: NetworkOf<O["rate"]>;
  /** Entity tags of `If-Match`, null when absent. */
  readonly ifMatch: readonly string[] | null;
  /** The media types that the client takes, as `Accept` has them. */
  readonly accept: string | undefined;
  /** Whether the client asks for an answer before the work is done (RFC 7240). */
  readonly prefersAsync: boolean;
  /** Owns what the answer holds, and tells when nobody wants it any more. */
  readonly scope: AnswerScope;
  /** Waits for the answer's turn among those of a kind. */
  readonly turn: AnswerPlace["turn"];
  readonly log: FastifyBaseLogger;
};

type AnswerHead = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The user that the body tells of, where it is not the caller: it is kept no longer than they are. */
  readonly about?: string;
  /** Of a read of catalogues: whether guests are answered at this address too; absent is no. */
  readonly isPublic?: boolean;
};

/** An answer that may be large: opened only when it is wanted, not for HEAD and 304. What its pieces hold they take when the first is asked for. */
export type StreamedAnswer = AnswerHead & {
  readonly contentType: string;
  readonly open: () => AnswerPieces;
};

export type JsonAnswer<O extends Operation> = AnswerHead & {
  readonly body:
    | PartlyWritten<z.input<O["success"]["schema"]>>
    | (O extends { accepted: { schema: infer S extends z.ZodType } } ? z.input<S> : never);
};

/** What a handler answers; the status is the operation's success status unless given. */
export type Answer<O extends Operation> = O["success"] extends { contentTypes: readonly string[] }
  ? StreamedAnswer
  : JsonAnswer<O>;

/** The answer of some operation. */
export type AnyAnswer = JsonAnswer<Operation> | StreamedAnswer;

export type Handler<O extends Operation> = (call: Call<O>) => Promise<Answer<O>>;

export type Handlers = { readonly [Id in keyof Operations]: Handler<Operations[Id]> };
