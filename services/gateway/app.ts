/**
 * The HTTP application: what is done for every request, in the order in which it is done, before
 * and after the operation's own way (pipeline.ts).
 */

import compress from "@fastify/compress";
import cookie from "@fastify/cookie";
import jwt, { type FastifyJWTOptions } from "@fastify/jwt";
import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { operations } from "#contracts/http/table/operations.ts";
import type { Config } from "#infra/config/config.ts";
import type { HttpMetrics } from "#infra/process/metrics.ts";
import { sessionCookieName } from "#infra/vault/tokens.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps, SignToken } from "../handler-deps.ts";
import { ANSWER_LIMITS, type AnswerPlaces, createAnswerPlaces, registerScopes } from "../turns.ts";
import {
  answerUnreadable,
  answerUnroutable,
  registerErrors,
  withSingleSlashes,
} from "./answers.ts";
import {
  type AuthenticationDeps,
  createChallenges,
  createNonces,
  registerAuthentication,
} from "./authentication.ts";
import { bodyBudget, createBodyBudget, registerBodyBudget, registerBodyParser } from "./bodies.ts";
import {
  PRESSURE,
  type PressureLimits,
  registerClientPace,
  registerClosing,
  registerPressure,
  registerSockets,
  serverLimits,
  TIMEOUTS,
  type Timeouts,
} from "./connections.ts";
import { type ConsoleOptions, registerConsole } from "./console.ts";
import {
  API_VERSION,
  registerCaching,
  registerCors,
  registerHostHeader,
  registerRequestHeaders,
  registerSecurityHeaders,
  requestId,
} from "./headers.ts";
import { registerKeeping } from "./kept.ts";
import { type HiddenFrom, onceByKey, type Reservations } from "./once.ts";
import { openApiDocument } from "./openapi.ts";
import { type OperationDeps, registerOperations } from "./pipeline.ts";
import {
  createFailureBudget,
  type FailureBudget,
  failureOptions,
  type RateLimitConfig,
  type RateLimits,
  rateLimitsOf,
  registerRateLimits,
} from "./rate-limits.ts";

export type AppDeps = Pick<AuthenticationDeps, "readActor" | "accessTokens"> &
  Pick<
    OperationDeps,
    | "catalogueFacts"
    | "thereAmong"
    | "sharedCatalogue"
    | "checkAnswers"
    | "epoch"
    | "versionHistories"
    | "regions"
    | "keptAnswers"
  > & {
    readonly config: AuthenticationDeps["config"] &
      OperationDeps["config"] &
      RateLimitConfig &
      Pick<Config, "trustProxy" | "publicBaseUrl"> &
      TokenSecrets;
    readonly logger: FastifyBaseLogger;
    readonly reservations: Reservations;
    readonly hiddenFrom: HiddenFrom;
    readonly metrics: HttpMetrics;
    readonly timeouts?: Timeouts;
    readonly pressure?: PressureLimits;
    /** Limit of all bodies in memory together; by default as much as the memory allows. */
    readonly bodyBudgetBytes?: number;
    /** Without it no pages are served. */
    readonly console?: ConsoleOptions;
    /** Measured limits by default. */
    readonly places?: AnswerPlaces;
    readonly createHandlers: (
      tools: Pick<HandlerDeps, "signToken" | "document" | "keepBody" | "shedding">,
    ) => Handlers;
  };

/** The gateway's HTTP application, before it listens. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { config, timeouts = TIMEOUTS, pressure = PRESSURE } = deps;
  const { places = createAnswerPlaces({ limits: ANSWER_LIMITS }) } = deps;
  const app = emptyApp(deps.logger, timeouts, config);
  const document = openApiDocument(operations, {
    version: API_VERSION,
    serverUrl: config.publicBaseUrl,
    cookieName: sessionCookieName(config.publicBaseUrl),
  });

  // Before everything that may fail, so that every answer has its format and headers.
  const nonces = createNonces(config.jwtSecret);
  registerErrors(app, config, createChallenges(nonces));
  registerScopes(app);
  registerRequestHeaders(app);
  registerCaching(app);
  registerRequestLog(app, deps.metrics);
  registerClosing(app, timeouts);
  registerClientPace(app, timeouts);
  registerHostHeader(app);
  // Before the first query to the database.
  const shedding = registerPressure(app, pressure);
  const secure = new URL(config.publicBaseUrl).protocol === "https:";
  registerSecurityHeaders(app, secure);
  await registerCors(app, config.corsOrigins);
  await app.register(cookie);
  const signToken = await registerTokens(app, config);
  const budget = createBodyBudget(deps.bodyBudgetBytes ?? bodyBudget(config.maxBodyBytes));
  registerBodyBudget(app, budget);
  registerBodyParser(app, budget);
  // After cookies and tokens, which it uses; before the limits, which count by user.
  const limits = rateLimitsOf(config);
  registerAuthentication(app, { ...deps, nonces, failures: failureBudget(limits) });
  const rateLimits = await registerRateLimits(app, limits, {
    secret: config.jwtSecret,
  });
  // Before the routes, which they look at.
  await registerSockets(app);
  await registerCompression(app);
  registerKeeping(app, deps.keptAnswers);
  await registerDocumentation(app, document, secure);
  if (deps.console) registerConsole(app, deps.console);

  const handlers = deps.createHandlers({ signToken, document, keepBody: budget.keep, shedding });
  registerOperations(app, {
    ...deps,
    handlers,
    places,
    rateLimits,
    onceByKey: onceByKey(deps.reservations, config.jwtSecret, deps.hiddenFrom),
  });
  return app;
}

function failureBudget(limits: RateLimits): FailureBudget | null {
  const options = failureOptions(limits);
  return options && createFailureBudget(options);
}

function emptyApp(
  logger: FastifyBaseLogger,
  timeouts: Timeouts,
  config: Pick<Config, "trustProxy" | "publicBaseUrl">,
): FastifyInstance {
  return fastify({
    loggerInstance: logger,
    ...serverLimits(timeouts),
    genReqId: requestId,
    // registerRequestLog writes one line per request instead.
    logController: new LogController({
      requestIdLogLabel: "requestId",
      disableRequestLogging: true,
    }),
    frameworkErrors: (...refused) => answerUnroutable(config, ...refused),
    clientErrorHandler: answerUnreadable,
    // Trust only the address seen by the nearest proxy; earlier ones are the client's claims.
    trustProxy: config.trustProxy ? (_address, hop) => hop === 0 : false,
    // Longer parameters than any id, percent-encoded, are mistakes.
    routerOptions: { maxParamLength: 1000 },
    rewriteUrl: ({ url = "/" }) => withSingleSlashes(url),
  });
}

declare module "@fastify/jwt" {
  interface JWT {
    /** Of the secret before, while sessions that it signed are still good. */
    previous?: Pick<JWT, "verify">;
  }
}

type TokenSecrets = { readonly jwtSecret: string; readonly previousJwtSecret: string | null };

async function registerTokens(
  app: FastifyInstance,
  { jwtSecret, previousJwtSecret }: TokenSecrets,
): Promise<SignToken> {
  const options: Omit<FastifyJWTOptions, "secret"> = {
    sign: { algorithm: "HS256" },
    // Tokens repeat, so their verification is cached; the session is read each time.
    verify: { algorithms: ["HS256"], requiredClaims: ["sub", "sid", "iat", "exp"], cache: true },
  };
  await app.register(jwt, { ...options, secret: jwtSecret });
  if (previousJwtSecret !== null) {
    await app.register(jwt, { ...options, secret: previousJwtSecret, namespace: "previous" });
  }
  // Options per call would create a signer per token.
  return (claims, lifetimeSeconds) => {
    const iat = Math.floor(Date.now() / 1_000);
    return app.jwt.sign({ ...claims, iat, exp: iat + lifetimeSeconds });
  };
}

/**
 * Writes one log line per request, and its metrics. It has the route, not the path, which may hold a
 * token, as headers and bodies may. A request whose client disconnected counts as 499, as in nginx.
 */
function registerRequestLog(app: FastifyInstance, metrics: HttpMetrics): void {
  app.addHook("onRequest", async (request, reply) => {
    const started = performance.now();
    metrics.begin();
    // Not the response hook, which is not called when the client disconnects.
    reply.raw.once("close", () => {
      const durationMs = performance.now() - started;
      const { method, actor } = request;
      const { statusCode, writableFinished } = reply.raw;
      const isWhole = writableFinished || statusCode === SWITCHED;
      const status = isWhole ? statusCode : CLIENT_GONE;
      const route = request.routeOptions.url ?? null;
      metrics.end({ method, route, status, seconds: durationMs / 1_000 });
      request.log.info(
        {
          method,
          route,
          status,
          durationMs: Math.round(durationMs),
          userId: actor?.userId ?? null,
          ...(actor?.token && { tokenId: actor.token.id }),
        },
        "request answered",
      );
    });
  });
}

const CLIENT_GONE = 499;
/** To WebSocket, which has no end of its own. */
const SWITCHED = 101;

/** Smaller answers fit into one packet anyway. */
const MIN_BYTES = 1024;

/**
 * Text, JSON and XML of any kind, and packed columns, by a third. Not streams of events, which would
 * wait in the compressor, and not Parquet and Arrow, which are compact already.
 */
const COMPRESSIBLE = /^text\/(?!event-stream)|[/+](?:json|xml)\b|^application\/octet-stream$/;

/**
 * By processor time for 9 MB of GeoJSON: zstd 36 ms, gzip 44 ms, Brotli (level 4) 201 ms, with sizes
 * within a tenth of each other.
 */
const ENCODINGS = ["zstd", "gzip", "br"] as const;
const GZIP_LEVEL = 3;

/** Compresses answers as their clients accept it, larger ones off the main thread. */
async function registerCompression(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    threshold: MIN_BYTES,
    customTypes: COMPRESSIBLE,
    encodings: [...ENCODINGS],
    zlibOptions: { level: GZIP_LEVEL },
  });
}

/** The OpenAPI document, browsable at /api/docs. */
async function registerDocumentation(
  app: FastifyInstance,
  document: Record<string, unknown>,
  secure: boolean,
): Promise<void> {
  // The document is made from the operation table; the plugin's type requires its own library's.
  await app.register(swagger, { mode: "static", specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: "/api/docs",
    staticCSP: true,
    // Without https the page would request its own scripts where no server answers.
    transformStaticCSP: (policy) =>
      secure ? policy : without(policy, "upgrade-insecure-requests"),
  });
}

function without(policy: string, unwanted: string): string {
  return policy
    .split(";")
    .filter((directive) => directive.trim() !== unwanted)
    .join(";");
}
