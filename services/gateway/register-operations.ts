import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyRequest,
  onRequestAsyncHookHandler,
  RouteOptions,
} from "fastify";
import { z } from "zod";
import { Refusal } from "#contracts/errors.ts";
import {
  type Access,
  type Address,
  addressesOf,
  type Operation,
  type RateClass,
} from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { MIB } from "#contracts/units.ts";
import type { Config } from "#infra/config/config.ts";
import { parseJson } from "#infra/json/parse-json.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import type { CallerNetwork } from "#services/commands/accounts/passwords.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import { authorise, isLocal } from "./auth/authorise.ts";
import { callerOf, networkOf } from "./auth/caller-keys.ts";
import type { RateLimitHooks } from "./auth/rate-limits.ts";
import type { AnswerPlace, AnswerPlaces, Recipient } from "./capacity/answer-places.ts";
import { SMALL_BODY_BYTES } from "./capacity/body-budget.ts";
import { formParts, registerMultipart } from "./files/multipart.ts";
import { parseEntityTags, tagInEpoch, tagsOfEpoch } from "./http/etag.ts";
import type { AnyAnswer, Call, Handlers, SocketAnswer } from "./http/handler.ts";
import { parseIdempotencyKey } from "./http/idempotency-key.ts";
import { askedTime, asMemento } from "./http/memento.ts";
import { prefersAsync } from "./http/prefer.ts";
import { checkAnswer, sendAnswer } from "./http/send-answer.ts";
import { validate } from "./http/validate.ts";
import type { OnceByKey, Perform } from "./idempotency/once-by-key.ts";

/** Enough for bodies without seismic events in bulk. */
const ORDINARY_BODY_BYTES = MIB;
/** Size of most answers, assumed until an answer is made. */
const SMALL_ANSWER_BYTES = 16 * 1024;

export type OperationDeps = {
  readonly handlers: Handlers;
  readonly isPublicCatalogue: (catalogueId: string) => Promise<boolean>;
  /** The catalogue of a share's secret; null for an unknown one. */
  readonly sharedCatalogue: (secret: string) => Promise<string | null>;
  readonly rateLimits: (rate: RateClass) => RateLimitHooks;
  readonly onceByKey: OnceByKey;
  /** Turns of answers. */
  readonly places: AnswerPlaces;
  readonly config: Pick<Config, "maxBodyBytes" | "maxUploadBytes" | "publicBaseUrl">;
  readonly versionHistories: VersionHistories;
  /** Checks every answer against its schema: on in tests, where a mismatch is a 500. */
  readonly checkAnswers: boolean;
  /** Added to versions in entity tags; null until the first restore of the log or the database. */
  readonly epoch: string | null;
};

/** Registers the operation table: each entry with its access, its schemas and its handler. */
export function registerOperations(app: FastifyInstance, deps: OperationDeps): void {
  app.decorateRequest("sharedCatalogue", null);
  for (const [id, definition] of Object.entries(operations)) {
    const operation: Operation = definition;
    // The pairs come from one mapped type, which the compiler cannot see in a loop.
    const handler = deps.handlers[id as keyof Handlers] as unknown as AnyHandler;
    for (const address of addressesOf(operation)) {
      const route = routeOf(operation, address, handler, deps);
      if (operation.body === "file") {
        void app.register(filesContext(route, deps.config.maxUploadBytes));
      } else app.route(route);
    }
  }
}

/** A separate context, because it accepts bodies of other types. */
function filesContext(route: RouteOptions, maxUploadBytes: number): FastifyPluginAsync {
  return async (files) => {
    await registerMultipart(files, maxUploadBytes);
    files.route(route);
  };
}

function routeOf(
  operation: Operation,
  { path, access }: Address,
  handler: AnyHandler,
  deps: OperationDeps,
): RouteOptions {
  const limits = deps.rateLimits(operation.rate);
  const { versionHistories, config } = deps;
  const { publicBaseUrl } = config;
  if (operation.upgrade) return upgradeOf(operation, { path, access }, handler, deps);
  return {
    method: operation.method,
    url: path,
    config: { operation },
    bodyLimit: bodyLimitOf(operation, deps.config.maxBodyBytes),
    // Counted first, so that refused requests count too.
    onRequest: [...limits.onRequest, authorisation(access, deps)],
    preHandler: limits.preHandler,
    handler: async (request, reply) => {
      const place = deps.places.of(recipientOf(request), request.scope);
      // Probes are answered without waiting for a turn.
      if (operation.rate !== "none") await place.turn("others", SMALL_ANSWER_BYTES);
      const perform: Perform = async (command) => {
        const run = (network: CallerNetwork | null) =>
          handler(callOf(operation, request, command, { network, epoch: deps.epoch, place }));
        const given = await (limits.attempt?.(request, reply, run) ?? run(null));
        const isByTime = askedTime(operation, request) !== null;
        const answer = isByTime
          ? await asMemento({ versionHistories, publicBaseUrl }, request, idOf(request), given)
          : given;
        if (deps.checkAnswers) checkAnswer(operation, answer);
        return answer;
      };
      const answer = await deps.onceByKey(operation, request, perform);
      return sendAnswer(operation, request, reply, inEpoch(answer, deps.epoch), place);
    },
  };
}

function recipientOf(request: FastifyRequest): Recipient {
  const isGuest = request.actor === null;
  return { caller: callerOf(request), network: networkOf(request), isGuest };
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

/** The request is checked before the upgrade, so that refusals are ordinary answers. */
function upgradeOf(
  operation: Operation,
  { path, access }: Omit<Address, "suffix">,
  handler: AnyHandler,
  deps: OperationDeps,
): RouteOptions {
  const limits = deps.rateLimits(operation.rate);
  return {
    method: "GET",
    url: path,
    config: { operation },
    onRequest: [...limits.onRequest, authorisation(access, deps)],
    preHandler: async (request, reply) => {
      if (!request.ws) throw new Refusal("VALIDATION_ERROR", "This address is for WebSockets");
      const place = deps.places.of(recipientOf(request), request.scope);
      const command = { id: request.id };
      const call = callOf(operation, request, command, { network: null, epoch: null, place });
      const answer = (await handler(call)) as unknown as SocketAnswer;
      request.connect = answer.connect;
      reply.raw.statusCode = operation.success.status;
    },
    // Not reached: what is no upgrade is refused above.
    handler: async () => undefined,
    wsHandler: (socket, request) => request.connect?.(socket),
  };
}

/** Callers without a session may only send bodies that are not counted (body-budget). */
function bodyLimitOf({ access, body }: Operation, maxBodyBytes: number): number {
  if (body === "events") return maxBodyBytes;
  return access === "public" ? SMALL_BODY_BYTES : ORDINARY_BODY_BYTES;
}

type AnyHandler = (call: Call<Operation>) => Promise<AnyAnswer>;

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: Operation;
  }
  interface FastifyRequest {
    /** The catalogue that the request's address shares; null at other addresses. */
    sharedCatalogue: string | null;
  }
}

function authorisation(access: Access, deps: OperationDeps): onRequestAsyncHookHandler {
  return async (request) => {
    const { id = "", token = "" } = request.params as { id?: string; token?: string };
    await authorise(access, {
      actor: request.actor,
      isLocal: () => isLocal(request),
      isPublic: () => deps.isPublicCatalogue(id),
      isShared: async () => {
        request.sharedCatalogue = await deps.sharedCatalogue(token);
        return request.sharedCatalogue !== null;
      },
    });
  };
}

type CallExtras = {
  readonly network: CallerNetwork | null;
  readonly epoch: string | null;
  readonly place: AnswerPlace;
};

function callOf(
  operation: Operation,
  request: FastifyRequest,
  command: Parameters<Perform>[0],
  { network, epoch, place }: CallExtras,
): Call<Operation> {
  const { actor } = request;
  const parts = {
    params: paramsOf(operation, request),
    query: queryOf(operation, request),
    body: bodyOf(operation, request),
    actor,
    isGuest: actor === null && request.sharedCatalogue === null,
    command: { ...command, actor: actor?.userId ?? "guest" },
    network,
    url: request.url,
    ifMatch: tagsOfEpoch(parseEntityTags(request.headers["if-match"]), epoch),
    key: operation.body === "file" ? parseIdempotencyKey(request.headers["idempotency-key"]) : null,
    lastEventId: headerOf(request, "last-event-id"),
    accept: request.headers.accept,
    prefersAsync: prefersAsync(request.headers["prefer"]),
    scope: request.scope,
    holder: { caller: callerOf(request), network: networkOf(request) },
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
  const given = request.params as Record<string, string>;
  const named = sharedCatalogue === null ? given : { ...given, id: sharedCatalogue };
  const result = params?.safeParse(named);
  if (result && !result.success) throw new Refusal("NOT_FOUND");
  return result?.data;
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
function idOf({ params, sharedCatalogue }: FastifyRequest): string | undefined {
  return sharedCatalogue ?? (params as { id?: string }).id?.toLowerCase();
}

function bodyOf({ body }: Operation, request: FastifyRequest): unknown {
  if (body === "file") return formParts(request);
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  if (body === undefined) {
    // Nothing of it is used, but what no body may hold is refused all the same.
    if (bytes.length > 0) parseJson(bytes);
    return undefined;
  }
  return body === "events" ? bytes : validate(body, parseJson(bytes));
}

function inEpoch(answer: AnyAnswer, epoch: string | null): AnyAnswer {
  const etag = answer.headers?.["etag"];
  if (etag === undefined || epoch === null) return answer;
  return { ...answer, headers: { ...answer.headers, etag: tagInEpoch(etag, epoch) } };
}
