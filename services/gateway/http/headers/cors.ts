import cors, { type FastifyCorsOptions } from "@fastify/cors";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** Headers that scripts of other origins may read. */
const EXPOSED_HEADERS = [
  "Preference-Applied",
  "Content-Disposition",
  "X-Export-Event-Count",
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
export async function registerCors(
  app: FastifyInstance,
  origins: readonly string[],
): Promise<void> {
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
