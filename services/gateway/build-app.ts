import cookie from "@fastify/cookie";
import cors from "@fastify/cors";
import helmet from "@fastify/helmet";
import jwt from "@fastify/jwt";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { operations } from "#contracts/http/operations.ts";
import { sessionCookieName } from "#infra/security/session-cookie.ts";
import type { Handlers } from "./handler.ts";
import { openApiDocument } from "./openapi.ts";
import { type AuthenticationDeps, registerAuthentication } from "./plugins/authentication.ts";
import { registerBodyParser } from "./plugins/body-parser.ts";
import { registerClosing } from "./plugins/closing.ts";
import { registerDocumentation } from "./plugins/documentation.ts";
import { answerUnreadable, answerUnroutable, registerErrors } from "./plugins/errors.ts";
import { type RateLimits, registerRateLimits } from "./plugins/rate-limits.ts";
import { API_VERSION, registerRequestHeaders, requestId } from "./plugins/request-headers.ts";
import { type OperationDeps, registerOperations } from "./register-operations.ts";

/** Signs a session token for a user; HS256. */
export type SignToken = (claims: { sub: string; sid: string }, lifetimeSeconds: number) => string;

export type AppDeps = AuthenticationDeps &
  Pick<OperationDeps, "isPublicCatalogue" | "maxBodyBytes" | "maxUploadBytes" | "checkAnswers"> & {
    readonly logger: FastifyBaseLogger;
    readonly jwtSecret: string;
    readonly corsOrigins: readonly string[];
    readonly trustProxy: boolean;
    readonly rateLimits: RateLimits;
    readonly createHandlers: (tools: {
      signToken: SignToken;
      document: Record<string, unknown>;
    }) => Handlers;
  };

/** The gateway's HTTP application, not yet listening. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: deps.logger,
    genReqId: requestId,
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerUnreadable,
    trustProxy: deps.trustProxy,
    // A parameter longer than any id of ours can only be a mistake.
    routerOptions: { maxParamLength: 200 },
  });
  const document = openApiDocument(operations, {
    version: API_VERSION,
    serverUrl: deps.publicBaseUrl,
    cookieName: sessionCookieName(deps.publicBaseUrl),
  });

  // Before everything that can fail, so that every answer has its shape and its headers.
  registerErrors(app);
  registerRequestHeaders(app);
  registerClosing(app);
  const secure = new URL(deps.publicBaseUrl).protocol === "https:";
  await app.register(helmet, { contentSecurityPolicy: false, hsts: secure });
  if (deps.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: [...deps.corsOrigins],
      credentials: true,
      methods: ["GET", "HEAD", "POST", "PATCH", "DELETE"],
      exposedHeaders: [
        "ETag",
        "Location",
        "Preference-Applied",
        "Retry-After",
        "X-Request-Id",
        "X-API-Version",
        "Content-Disposition",
        "X-Export-Event-Count",
      ],
    });
  }
  await app.register(cookie);
  await app.register(jwt, {
    secret: deps.jwtSecret,
    sign: { algorithm: "HS256" },
    verify: { algorithms: ["HS256"] },
  });
  registerBodyParser(app);
  // After cookies and tokens, which it reads; before the limits, which count by user.
  registerAuthentication(app, deps);
  const rateLimits = await registerRateLimits(app, deps.rateLimits);
  await registerDocumentation(app, document, secure);

  const signToken: SignToken = (claims, lifetimeSeconds) =>
    app.jwt.sign(claims, { expiresIn: lifetimeSeconds });
  const handlers = deps.createHandlers({ signToken, document });
  registerOperations(app, { ...deps, handlers, rateLimits });
  return app;
}
