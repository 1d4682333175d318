import cookie from "@fastify/cookie";
import jwt, { type FastifyJWTOptions } from "@fastify/jwt";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { operations } from "#contracts/http/table/operations.ts";
import type { Config } from "#infra/config/config.ts";
import type { HttpMetrics } from "#infra/process/metrics.ts";
import { sessionCookieName } from "#infra/vault/tokens.ts";
import { type AuthenticationDeps, registerAuthentication } from "./auth/authentication.ts";
import { createChallenges } from "./auth/challenges.ts";
import { createFailureBudget, type FailureBudget } from "./auth/failure-budget.ts";
import { createNonces } from "./auth/nonces.ts";
import {
  failureOptions,
  type RateLimitConfig,
  type RateLimits,
  rateLimitsOf,
  registerRateLimits,
} from "./auth/rate-limits.ts";
import { type AnswerPlaces, createAnswerPlaces } from "./capacity/answer-places.ts";
import { registerScopes } from "./capacity/answer-scope.ts";
import { bodyBudget, createBodyBudget, registerBodyBudget } from "./capacity/body-budget.ts";
import { registerClientPace } from "./capacity/client-pace.ts";
import { PRESSURE, type PressureLimits, registerPressure } from "./capacity/pressure.ts";
import { ANSWER_LIMITS } from "./capacity/queue-limits.ts";
import { serverLimits, TIMEOUTS, type Timeouts } from "./capacity/timeouts.ts";
import { type ConsoleOptions, registerConsole } from "./console/register-console.ts";
import { registerBodyParser } from "./http/body-parser.ts";
import { registerClosing } from "./http/closing.ts";
import { registerCompression } from "./http/compression.ts";
import { answerUnreadable, answerUnroutable, registerErrors } from "./http/error-handlers.ts";
import { withSingleSlashes } from "./http/event-service-paths.ts";
import type { Handlers } from "./http/handler.ts";
import { registerCaching } from "./http/headers/caching.ts";
import { registerCors } from "./http/headers/cors.ts";
import {
  API_VERSION,
  registerHostHeader,
  registerRequestHeaders,
  registerSecurityHeaders,
  requestId,
} from "./http/headers/standard-headers.ts";
import { registerDocumentation } from "./http/openapi/documentation.ts";
import { openApiDocument } from "./http/openapi/openapi.ts";
import { registerRequestLog } from "./http/request-log.ts";
import { registerSockets } from "./http/sockets.ts";
import { type HiddenFrom, onceByKey } from "./idempotency/once-by-key.ts";
import type { Reservations } from "./idempotency/reservations.ts";
import { type OperationDeps, registerOperations } from "./register-operations.ts";
import type { HandlerDeps, SignToken } from "./routes/make-handler.ts";

export type AppDeps = Pick<AuthenticationDeps, "readActor" | "accessTokens"> &
  Pick<
    OperationDeps,
    "catalogueFacts" | "sharedCatalogue" | "checkAnswers" | "epoch" | "versionHistories" | "regions"
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
