import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import { bodyWhereNone, type Operation } from "#contracts/http/operation.ts";
import type { Warning } from "#contracts/http/warnings.ts";
import { parseJson } from "#infra/json/json-body.ts";
import { unknownMembers, validate } from "#infra/json/validation.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { CallerNetwork } from "#services/commands/accounts/passwords.ts";
import { callerOf, networkOf, readerOf } from "./auth/caller-keys.ts";
import type { AnswerPlace, Recipient } from "./capacity/answer-place.ts";
import { formParts } from "./files/multipart.ts";
import type { Call } from "./http/handler.ts";
import { parseEntityTags, tagsOfEpoch } from "./http/headers/etag.ts";
import { parseIdempotencyKey } from "./http/headers/idempotency-key.ts";
import { askedTime } from "./http/headers/memento.ts";
import { prefersAsync } from "./http/headers/prefer.ts";
import type { Perform } from "./idempotency/once-by-key.ts";

export type CallExtras = {
  readonly network: CallerNetwork | null;
  readonly epoch: string | null;
  readonly place: AnswerPlace;
};

/** What a handler gets of a request. @throws Refusal for what is not valid */
export function callOf(
  operation: Operation,
  request: FastifyRequest,
  command: Parameters<Perform>[0],
  { network, epoch, place }: CallExtras,
): Call<Operation> {
  const { actor } = request;
  const warnings: Warning[] = [];
  const query = queryOf(operation, request);
  const parts = {
    params: paramsOf(operation, request),
    query,
    body: bodyOf(operation, request, warnings),
    warnings,
    actor,
    isGuest: actor === null && request.sharedCatalogue === null,
    reader: readerOf(request),
    facts: request.catalogueFacts,
    hidden: request.catalogueFacts?.hidden ?? null,
    regionArea: null,
    command: { ...command, actor: actor?.userId ?? "guest", ...reasonOf(query) },
    network,
    cookies: request.cookies,
    url: request.url,
    ifMatch: tagsOfEpoch(parseEntityTags(request.headers["if-match"]), epoch),
    key: operation.body === "file" ? parseIdempotencyKey(request.headers["idempotency-key"]) : null,
    lastEventId: headerOf(request, "last-event-id"),
    accept: request.headers.accept,
    prefersAsync: prefersAsync(request.headers["prefer"]),
    scope: request.scope,
    asker: askerOf(request),
    turn: place.turn,
    log: request.log,
  };
  return parts as Call<Operation>;
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
}

/** An impossible path is not found: 404, not 400. */
function paramsOf({ params }: Operation, request: FastifyRequest): unknown {
  const { sharedCatalogue } = request;
  const values = request.params as Record<string, string>;
  const withShare = sharedCatalogue === null ? values : { ...values, id: sharedCatalogue };
  const result = params?.safeParse(withShare);
  if (result && !result.success) throw new Refusal("NOT_FOUND");
  return result?.data;
}

function reasonOf(query: unknown): { readonly reason?: string } {
  const reason = (query as { reason?: unknown } | undefined)?.reason;
  return typeof reason === "string" ? { reason } : {};
}

const NO_PARAMETERS = z.strictObject({});

/** An operation without parameters takes none; only probes ignore what their clients add. */
function queryOf(operation: Operation, request: FastifyRequest): unknown {
  const { query, rate } = operation;
  if (query === undefined) {
    if (rate !== "none") validate(NO_PARAMETERS, request.query);
    return undefined;
  }
  const time = askedTime(operation, request);
  if (query !== "fdsn") {
    return validate(query, { ...(request.query as object), ...(time && { asOf: time }) });
  }
  const start = request.url.indexOf("?");
  const raw = start < 0 ? "" : request.url.slice(start + 1);
  return time === null ? raw : `${raw}&asof=${encodeURIComponent(time)}`;
}

/** The catalogue of a request's address, if it names one. */
export function idOf({ params, sharedCatalogue }: FastifyRequest): string | undefined {
  return sharedCatalogue ?? (params as { id?: string }).id?.toLowerCase();
}

function bodyOf(operation: Operation, request: FastifyRequest, warnings: Warning[]): unknown {
  const { body, documentedBody } = operation;
  if (body === "file") return formParts(request);
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (body === undefined) {
    // Nothing of it is used, but what no body may hold is refused all the same.
    if (bytes.length > 0) parseJson(bytes);
    return undefined;
  }
  if (body === "bytes") return bytes;
  if (bytes.length > 0) {
    const json = parseJson(bytes);
    const valid = validate(body, json);
    warnings.push(...unknownMembers(documentedBody ?? body, json));
    return valid;
  }
  const none = bodyWhereNone(operation);
  if (none === undefined) throw new Refusal("INVALID_JSON", "A body is needed: a JSON object");
  return none;
}

/** Its signal is made only for those who wait for something. */
function askerOf(request: FastifyRequest): Asker {
  return {
    ...recipientOf(request),
    get signal() {
      return request.scope.signal;
    },
  };
}

export function recipientOf(request: FastifyRequest): Recipient {
  const isGuest = request.actor === null;
  return { caller: callerOf(request), network: networkOf(request), isGuest };
}
