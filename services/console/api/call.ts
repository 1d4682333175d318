import { signal } from "@preact/signals";
import type { z } from "zod";
import type { ErrorCode } from "#contracts/errors.ts";
import type { Operations } from "#contracts/http/table/operations.ts";

export type CallOptions = {
  readonly signal?: AbortSignal;
  /** Sent as `If-Match`: the entity tag of what the caller has seen. */
  readonly ifMatch?: string;
  /** One key for all attempts of a write. */
  readonly idempotencyKey?: string;
  /** Asks for an operation in the background (202) in place of the result. */
  readonly inBackground?: boolean;
  /** Sent to its end also where the page is closed. */
  readonly outlivesPage?: boolean;
  /** The media type of the answer; JSON otherwise. */
  readonly accept?: string;
};

export type Sent = {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
};

/**
 * Calls an operation of the API, with the names and types of the contracts:
 * `call("GET /api/catalogues/:id", { params: { id } })`.
 * @throws CallError
 */
export async function call<K extends OperationName>(
  operation: K,
  input: InputOf<K>,
  options: CallOptions = {},
): Promise<AnswerOf<K>> {
  const response = await send(operation, input as Sent, options);
  return (response.status === 204 ? null : await whole(() => response.json())) as AnswerOf<K>;
}

export type Tagged<T> = {
  readonly answer: T;
  /** For `If-Match`, when what was read is changed. */
  readonly tag: string;
};

/** As `call`, with the answer's entity tag: no version's number alone, since backups may bring back others. */
export async function callWithTag<K extends OperationName>(
  operation: K,
  input: InputOf<K>,
  options: CallOptions = {},
): Promise<Tagged<AnswerOf<K>>> {
  const response = await send(operation, input as Sent, options);
  // Proxies that compress make it weak, and weak ones match nothing.
  const tag = (response.headers.get("etag") ?? "").replace(/^W\//, "");
  return { answer: await whole(() => response.json()), tag };
}

/** As `call`, with the response itself: for headers, streams and what is not JSON. */
export async function send(
  operation: OperationName,
  input: Sent,
  options: CallOptions = {},
): Promise<Response> {
  const [method = "GET"] = operation.split(" ");
  const { body } = input;
  const headers = new Headers({ accept: options.accept ?? "application/json" });
  if (body !== undefined && !(body instanceof FormData)) {
    headers.set("content-type", "application/json");
  }
  if (options.ifMatch !== undefined) headers.set("if-match", options.ifMatch);
  if (options.idempotencyKey) headers.set("idempotency-key", options.idempotencyKey);
  if (options.inBackground) headers.set("prefer", "respond-async");
  const answer = fetch(addressOf(operation, input), {
    method,
    headers,
    ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    ...(options.signal && { signal: options.signal }),
    ...(options.outlivesPage && { keepalive: true }),
  });
  return settle(operation, answer, options.signal);
}

/**
 * What holds of every call's answer: a refusal is thrown, the console learns whether the service is
 * there and the session lives.
 * @throws CallError; what aborted it
 */
export async function settle(
  operation: OperationName,
  answer: Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const response = await answer.catch((error: unknown) => {
    if (signal?.aborted) throw error;
    isReachable.value = false;
    throw lost("The service cannot be reached", error);
  });
  isReachable.value = true;
  if (response.ok) return response;
  if (response.status === 401 && !operation.includes(" /api/auth/")) sessionEnded.value = true;
  throw await refusalOf(response);
}

/**
 * Reads a body to its end.
 * @throws CallError where the connection ended before it
 */
export async function whole<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    isReachable.value = false;
    throw lost("The answer of the service was cut off on its way", error);
  }
}

const OF_CATALOGUE = /^\/api\/catalogues\/:id(?=\/|$)/;

/**
 * The address of an operation with its parameters: for links, event sources and downloads. A shared
 * catalogue is read below its share.
 */
export function addressOf(operation: OperationName, { params, query }: Sent): string {
  const [, path = ""] = operation.split(" ");
  const shared = share === null ? path : path.replace(OF_CATALOGUE, share);
  const named = shared.replaceAll(/:(\w+)/g, (_all, name: string) =>
    encodeURIComponent(String(params?.[name] ?? "")),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== "") search.set(name, String(value));
  }
  return search.size === 0 ? named : `${named}?${search}`;
}

/** A field of what was sent, and what is wrong with it. */
export type FieldProblem = { readonly field: string; readonly message: string };

/** A call that the service refused, or that did not reach it. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  readonly code: ErrorCode | "UNREACHABLE";
  readonly fields: readonly FieldProblem[];
  /** What the service's log calls the request. */
  readonly requestId: string | null;
  /** Seconds after which another attempt can succeed. */
  readonly retryAfter: number | null;
  /** The answer, of refusals that tell more than their sentence. */
  readonly body: unknown;

  constructor(
    message: string,
    known: Pick<CallError, "status" | "code" | "fields" | "requestId" | "retryAfter" | "body">,
  ) {
    super(message);
    this.status = known.status;
    this.code = known.code;
    this.fields = known.fields;
    this.requestId = known.requestId;
    this.retryAfter = known.retryAfter;
    this.body = known.body;
  }
}

/** With what status the service refused a call, 0 where it was not reached; null of any other failure. */
export function statusOf(failure: unknown): number | null {
  return failure instanceof CallError ? failure.status : null;
}

/** What there is of a failure that no answer tells. */
const UNTOLD = { fields: [], requestId: null, retryAfter: null, body: null };

function lost(message: string, cause: unknown): CallError {
  const error = new CallError(message, { ...UNTOLD, status: 0, code: "UNREACHABLE" });
  error.cause = cause;
  return error;
}

type ErrorBody = {
  readonly error?: string | undefined;
  readonly code?: string | undefined;
  readonly details?: unknown;
};

/** The error with which work in the background ended. */
export function failureOf(body: ErrorBody | undefined): CallError {
  const told = { status: 400, code: codeOf(body), fields: fieldsOf(body?.details), body };
  return new CallError(body?.error ?? "This failed", { ...UNTOLD, ...told });
}

/** The error that an answer tells. */
async function refusalOf(response: Response): Promise<CallError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new CallError(body.error ?? `The service answered ${response.status}`, {
    status: response.status,
    code: codeOf(body),
    fields: fieldsOf(body.details),
    requestId: response.headers.get("x-request-id"),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
    body,
  });
}

function codeOf(body: ErrorBody | undefined): ErrorCode {
  return (body?.code ?? "INTERNAL_ERROR") as ErrorCode;
}

function fieldsOf(details: unknown): readonly FieldProblem[] {
  if (!Array.isArray(details)) return [];
  return details.filter(
    (one) => typeof one?.field === "string" && typeof one?.message === "string",
  );
}

/** Whether the last call reached the service. */
export const isReachable = signal(true);

/** Whether the service has asked for a session since the last sign-in: if there was one, it has ended. */
export const sessionEnded = signal(false);

/**
 * The address of the share that the console was opened at. Below it are its pages then, and all that they
 * ask for; whoever looks at them has no account there. Null elsewhere.
 */
export const share: string | null =
  /^\/api\/share\/[^/]+/.exec(globalThis.location?.pathname ?? "")?.[0] ?? null;

type Table = {
  readonly [Id in keyof Operations as `${Operations[Id]["method"]} ${Operations[Id]["path"]}`]: Operations[Id];
};

/** "GET /api/catalogues/:id": an operation as it stands in the table of the contracts. */
export type OperationName = keyof Table;

type Given<S> = S extends z.ZodObject ? z.input<S> : Record<string, never>;
type ParamsOf<O> = O extends { readonly params: infer P extends z.ZodObject } ? Given<P> : object;
type QueryOf<O> = O extends { readonly query: infer Q extends z.ZodObject } ? Given<Q> : object;
type BodyOf<O> = O extends { readonly documentedBody: infer B extends z.ZodType }
  ? z.input<B>
  : O extends { readonly body: infer B extends z.ZodType }
    ? z.input<B>
    : undefined;

type Scalar = string | number | boolean;

/** Query parameters by the API's own names; undefined ones are not sent. */
export type QueryValues<K extends OperationName> = {
  readonly [P in keyof QueryOf<Table[K]>]?: Scalar | undefined;
};

type Required<Name extends string, Value> = keyof Value extends never
  ? { readonly [P in Name]?: never }
  : { readonly [P in Name]: Value };

export type InputOf<K extends OperationName> = Required<
  "params",
  { readonly [P in keyof ParamsOf<Table[K]>]: string | number }
> & {
  readonly query?: QueryValues<K>;
} & (BodyOf<Table[K]> extends undefined
    ? { readonly body?: FormData }
    : { readonly body: BodyOf<Table[K]> });

type Success<O> = O extends { readonly answer: infer S extends z.ZodType } ? z.output<S> : never;

export type AnswerOf<K extends OperationName> = Success<Table[K]>;

export type SeismicEvent = AnswerOf<"GET /api/catalogues/:id/events/:eventId">["event"];
export type Catalogue = AnswerOf<"GET /api/catalogues/:id">;
export type CatalogueVersion = AnswerOf<"GET /api/catalogues/:id/versions">["versions"][number];
export type UserAccount = AnswerOf<"GET /api/users">["users"][number];

export type RoleRequest = AnswerOf<"GET /api/role-requests/me">["requests"][number];

/** The lists that the service gives in parts. */
type LongList =
  | "GET /api/users"
  | "GET /api/role-requests"
  | "GET /api/regions"
  | "GET /api/catalogues/:id/versions"
  | "GET /api/catalogues/:id/analytics/decluster/:result/events";
type Part = { readonly nextCursor?: string | null | undefined };

/**
 * Calls the operation of a long list until it has all of it; the entity tag is that of its first part.
 * @throws CallError
 */
export async function callForAll<K extends LongList>(
  operation: K,
  input: InputOf<K>,
  options: CallOptions = {},
): Promise<Tagged<AnswerOf<K>>> {
  const { answer, tag } = await callWithTag(operation, input, options);
  const all = listOf(answer);
  for (let { nextCursor: cursor } = answer as Part; cursor != null; ) {
    const query = { ...input.query, cursor };
    const next = await call(operation, { ...input, query } as InputOf<K>, options);
    for (const member of listOf(next)) all.push(member);
    ({ nextCursor: cursor } = next as Part);
  }
  return { answer, tag };
}

function listOf(answer: object): unknown[] {
  return Object.values(answer).find((member) => Array.isArray(member)) ?? [];
}
