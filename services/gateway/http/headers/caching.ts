import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takesDatetime } from "./memento.ts";

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
