/**
 * The headers of every answer: request id and version, Helmet's, those for scripts of other
 * origins, and caching.
 */

import { randomUUID } from "node:crypto";
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";
import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from "fastify";
import helmet from "helmet";
import { Refusal } from "#contracts/errors.ts";
import { takesDatetime } from "../headers.ts";

/** The API's version, sent with every response. */
export const API_VERSION = "1.0.0";

/** A client's request id is accepted if short and plain, so that it cannot forge log lines. */
const PLAIN_ID = /^[\w.:/+=-]{1,128}$/;

export function requestId(request: IncomingMessage): string {
  const id = request.headers["x-request-id"];
  return typeof id === "string" && PLAIN_ID.test(id) ? id : randomUUID();
}

/**
 * Refuses HTTP/1.1 without a `Host`, or with two (RFC 9112, 3.2), which a proxy and this server
 * could interpret differently.
 */
export function registerHostHeader(app: FastifyInstance<RawServerDefault>): void {
  app.addHook("onRequest", async ({ raw }) => {
    const hosts = raw.rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name)).length;
    if (hosts > 1 || (hosts === 0 && raw.httpVersion === "1.1")) {
      throw new Refusal("VALIDATION_ERROR", "The request must have one Host header");
    }
  });
}

/** `X-Request-Id` and `X-API-Version` on every response, errors included. */
export function registerRequestHeaders(app: FastifyInstance<RawServerDefault>): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id).header("x-api-version", API_VERSION);
  });
}

/**
 * Answers are data: opened in a browser they load and embed nothing. The documentation has its own
 * policy.
 */
const NO_PAGE = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
};

/** Helmet's headers on every response. They are always the same, so helmet is called once. */
export function registerSecurityHeaders(app: FastifyInstance, secure: boolean): void {
  const headers = headersOf(helmet({ contentSecurityPolicy: NO_PAGE, hsts: secure }));
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** The headers that a middleware sets. They are always the same. */
export function headersOf(middleware: ReturnType<typeof helmet>): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  middleware(request, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}

/** Headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  "Preference-Applied",
  "Accept-Ranges",
  "Content-Disposition",
  "Content-Range",
  "X-Export-Event-Count",
  "X-Truncated",
  "ETag",
  "Link",
  "Location",
  "Retry-After",
  "X-Request-Id",
  "X-API-Version",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Idempotency-Replayed",
];

/**
 * Where programs of other origins read without a session: the event service, shares, OGC API, feeds and
 * differences of versions.
 */
const OPEN_PATHS = /^(?:\/api\/(?:share|ogc)(?:\/|$)|.*\/fdsnws\/|.*\/feed(?:\/|$)|.*\/diff$)/;

const EVERYBODY: FastifyCorsOptions = {
  origin: "*",
  methods: ["GET", "HEAD"],
  exposedHeaders: EXPOSED_HEADERS,
  strictPreflight: false,
};

/**
 * Lets scripts of other origins call: from everywhere, without credentials, where programs of the
 * field read; with credentials from the given origins, everywhere else.
 */
export async function registerCors(app: FastifyInstance, origins: readonly string[]) {
  const known: FastifyCorsOptions = {
    origin: origins.length > 0 && [...origins],
    credentials: true,
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: EXPOSED_HEADERS,
  };
  await app.register(cors, {
    delegator: (request: FastifyRequest, done) => {
      done(null, OPEN_PATHS.test(request.url.replace(/\?.*/s, "")) ? EVERYBODY : known);
    },
  });
}

declare module "fastify" {
  interface FastifyReply {
    /** Whether guests get an answer at this address too. */
    isPublic: boolean;
    /** Whether the address names a version, so that its answers never change. */
    isVersioned: boolean;
  }
}

/** Forbids all caching. */
export const NO_STORE = "no-store";

const ACCEPTED = 202;

/** Headers that carry a session, by which answers differ between callers, and the wanted coding. */
const CALLER = ["Cookie", "Authorization", "accept-encoding"];

/**
 * Sets the caching headers of every answer. Answers of cacheable operations are revalidated with
 * their entity tag each time, and shared caches may store them only if guests may read them. All
 * other answers, refusals and faults are not cached, and nothing below a share, whose address is
 * secret.
 */
export function registerCaching(app: FastifyInstance): void {
  app.decorateReply("isPublic", false);
  app.decorateReply("isVersioned", false);
  app.addHook("onSend", (request, reply, _payload, done) => {
    const { config, url } = request.routeOptions;
    const { operation } = config;
    if (url?.startsWith("/api/share/")) reply.header("cache-control", NO_STORE);
    else if (operation?.caching === "streamed" && reply.statusCode < 400) {
      reply.header("cache-control", "no-cache, no-transform");
    } else if (operation?.caching === "unchanging" && isReading(reply)) {
      reply.header("cache-control", "private, max-age=31536000, immutable");
      addVary(reply, CALLER);
    } else if (operation?.caching === "revalidated" && isReading(reply)) {
      reply.header("cache-control", cacheControl(request, reply));
      addVary(reply, takesDatetime(operation) ? [...CALLER, "accept-datetime"] : CALLER);
    } else if (operation !== undefined || !reply.hasHeader("cache-control")) {
      // Pages of the documentation set their own.
      reply.header("cache-control", NO_STORE);
    }
    done();
  });
}

/** A refusal is none, nor is the beginning of work in the background. */
function isReading({ statusCode }: FastifyReply): boolean {
  return statusCode < 400 && statusCode !== ACCEPTED;
}

/**
 * Publishing can be undone, so even versions are kept for an hour at most. What is told to an access token for some
 * catalogues alone is told to it alone: lists leave the others out.
 */
function cacheControl({ actor }: FastifyRequest, { isPublic, isVersioned }: FastifyReply): string {
  const isForSome = (actor?.token?.catalogues ?? null) !== null;
  if (!isPublic || isForSome) return "private, no-cache";
  return isVersioned ? "public, max-age=3600" : "public, no-cache";
}

export function addVary(reply: FastifyReply, names: readonly string[]): void {
  const named = reply.getHeader("vary");
  reply.header("vary", [...(named === undefined ? [] : [named]), ...names].join(", "));
}
