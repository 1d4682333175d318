import { isDeepStrictEqual } from "node:util";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from "fastify";
import { ApiError } from "#contracts/errors.ts";
import type { Operation, RateClass } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/operations.ts";
import { parseJson } from "#infra/json/parse-json.ts";
import type { CallerNetwork } from "#services/commands/accounts/caller-network.ts";
import { answerStream } from "./answers/answer-stream.ts";
import { authorise } from "./authorise.ts";
import { matchesWeakly, parseEntityTags, tagInEpoch, tagsOfEpoch } from "./etag.ts";
import type { AnyAnswer, Call, Handlers } from "./handler.ts";
import type { OnceByKey, Perform } from "./idempotency/once-by-key.ts";
import { isLocal } from "./is-local.ts";
import { writeBody } from "./json-text.ts";
import { isStillCaller } from "./plugins/authentication.ts";
import { addVary } from "./plugins/caching.ts";
import { formParts, registerMultipart } from "./plugins/multipart.ts";
import type { RateLimitHooks } from "./plugins/rate-limits.ts";
import { prefersAsync } from "./prefer.ts";
import { validate } from "./validate.ts";

const MIB = 1024 * 1024;
/** Enough for every body without seismic events in bulk. */
const ORDINARY_BODY_BYTES = MIB;

export type OperationDeps = {
  readonly handlers: Handlers;
  readonly isPublicCatalogue: (catalogueId: string) => Promise<boolean>;
  readonly rateLimits: (rate: RateClass) => RateLimitHooks;
  readonly onceByKey: OnceByKey;
  readonly maxBodyBytes: number;
  readonly maxUploadBytes: number;
  /** Checks every answer against its schema: on in tests, where a mismatch is a 500. */
  readonly checkAnswers: boolean;
  /** Beside the version in entity tags; null until the log or the database was restored. */
  readonly epoch: string | null;
};

/** Registers the operation table: each entry with its access, its schemas and its handler. */
export function registerOperations(app: FastifyInstance, deps: OperationDeps): void {
  for (const [id, definition] of Object.entries(operations)) {
    const operation: Operation = definition;
    // The pairs come from one mapped type; the loop alone cannot show it to the compiler.
    const handler = deps.handlers[id as keyof Handlers] as unknown as AnyHandler;
    const route = routeOf(operation, handler, deps);
    if (operation.body === "file") void app.register(filesContext(route, deps.maxUploadBytes));
    else app.route(route);
  }
}

/** A context of its own, because it reads bodies of other types. */
function filesContext(route: RouteOptions, maxUploadBytes: number): FastifyPluginAsync {
  return async (files) => {
    await registerMultipart(files, maxUploadBytes);
    files.route(route);
  };
}

function routeOf(operation: Operation, handler: AnyHandler, deps: OperationDeps): RouteOptions {
  const limits = deps.rateLimits(operation.rate);
  const allow = authorisation(operation, deps);
  return {
    method: operation.method,
    url: operation.path,
    config: { operation },
    bodyLimit: operation.body === "events" ? deps.maxBodyBytes : ORDINARY_BODY_BYTES,
    // Counted first, so that refused requests cost their sender too.
    onRequest: [...limits.onRequest, allowAsSeen(allow)],
    preHandler: limits.preHandler,
    handler: async (request, reply) => {
      const perform: Perform = async (command) => {
        const run = (network: CallerNetwork | null) =>
          handler(callOf(operation, request, command, { network, epoch: deps.epoch }));
        const answer = await (limits.attempt?.(request, reply, run) ?? run(null));
        if (deps.checkAnswers) checkAnswer(operation, answer);
        return answer;
      };
      const answer = await forCaller(request, allow, () =>
        deps.onceByKey(operation, request, perform),
      );
      return send(operation, request, reply, inEpoch(answer, deps.epoch));
    },
  };
}

type AnyHandler = (call: Call<Operation>) => Promise<AnyAnswer>;

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

type Allow = (request: FastifyRequest) => Promise<void>;

function authorisation({ access }: Operation, deps: OperationDeps): Allow {
  return async (request) => {
    const { id = "" } = request.params as { id?: string };
    const { actor } = request;
    const isPublic = () => deps.isPublicCatalogue(id);
    await authorise(access, { actor, isLocal: () => isLocal(request), isPublic });
  };
}

/** Whom it refuses as last seen may be allowed by now. */
function allowAsSeen(allow: Allow): Allow {
  return async (request) => {
    try {
      await allow(request);
    } catch (refusal) {
      if (await isStillCaller(request)) throw refusal;
      await allow(request);
    }
  };
}

/** Does what is asked while it is still read who asks; does it again for whoever that turns out to be. */
async function forCaller<T>(
  request: FastifyRequest,
  allow: Allow,
  perform: () => Promise<T>,
): Promise<T> {
  if (request.readingActor === null) return perform();
  const [outcome] = await Promise.allSettled([perform()]);
  if (!(await isStillCaller(request))) {
    await allow(request);
    return perform();
  }
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

function callOf(
  operation: Operation,
  request: FastifyRequest,
  command: Parameters<Perform>[0],
  { network, epoch }: { network: CallerNetwork | null; epoch: string | null },
): Call<Operation> {
  const { actor } = request;
  const parts = {
    params: paramsOf(operation, request),
    query: operation.query && validate(operation.query, request.query),
    body: bodyOf(operation, request),
    actor,
    command: { ...command, actor: actor?.userId ?? "guest" },
    network,
    ifMatch: tagsOfEpoch(parseEntityTags(request.headers["if-match"]), epoch),
    accept: request.headers.accept,
    prefersAsync: prefersAsync(request.headers["prefer"]),
    scope: request.scope,
    log: request.log,
  };
  return parts as Call<Operation>;
}

/** A path that names nothing possible names nothing: 404, not 400. */
function paramsOf({ params }: Operation, request: FastifyRequest): unknown {
  const result = params?.safeParse(request.params);
  if (result && !result.success) throw new ApiError("NOT_FOUND");
  return result?.data;
}

function bodyOf({ body }: Operation, request: FastifyRequest): unknown {
  if (body === undefined) return undefined;
  if (body === "file") return formParts(request);
  const bytes = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  return body === "events" ? bytes : validate(body, parseJson(bytes));
}

function inEpoch(answer: AnyAnswer, epoch: string | null): AnyAnswer {
  const etag = answer.headers?.["etag"];
  if (etag === undefined || epoch === null) return answer;
  return { ...answer, headers: { ...answer.headers, etag: tagInEpoch(etag, epoch) } };
}

async function send(
  { success }: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: AnyAnswer,
): Promise<FastifyReply> {
  const { status = success.status, isPublic = false } = answer;
  const { vary, ...headers } = answer.headers ?? {};
  reply.headers(headers);
  if (vary !== undefined) addVary(reply, [vary]);
  reply.isPublic = isPublic;
  const tag = headers["etag"];
  const seen = parseEntityTags(request.headers["if-none-match"]);
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (tag !== undefined && seen !== null && isRead && matchesWeakly(seen, tag)) {
    return reply.code(304).send();
  }
  reply.code(status);
  if (!("open" in answer)) {
    return reply.type("application/json; charset=utf-8").send(writeBody(answer.body));
  }
  reply.type(answer.contentType);
  if (request.method === "HEAD") return reply.send();
  return reply.send(await answerStream(answer.open(), request.scope));
}

/** An answer with a key that its schema does not know would leak or mislead: it must be equal as parsed. */
function checkAnswer({ id, success, accepted }: Operation, answer: AnyAnswer): void {
  if ("open" in answer) return;
  const { schema } = answer.status === accepted?.status && accepted ? accepted : success;
  const asSent: unknown = JSON.parse(String(writeBody(answer.body)));
  if (!isDeepStrictEqual(schema.parse(asSent), asSent)) {
    throw new Error(`the answer of ${id} is not as its schema says: ${JSON.stringify(asSent)}`);
  }
}
