import type { FastifyRequest } from "fastify";

const BELOW_SERVICE = /\/fdsnws\//;

/** Whether a request is for the event service, also where it has no such path. */
export function isForEventService({ url }: Pick<FastifyRequest, "url">): boolean {
  return BELOW_SERVICE.test(plainPath(url));
}

/**
 * The path that an address means: decoded, with single slashes. One that cannot be decoded stays as it
 * is, and has no page or operation.
 */
export function plainPath(url: string): string {
  const [path] = pathAndQuery(url);
  try {
    return decodeURIComponent(path).replaceAll(/\/{2,}/g, "/");
  } catch {
    return path.replaceAll(/\/{2,}/g, "/");
  }
}

/** The address of a request for the event service, in which clients double slashes; any other as it is. */
export function withSingleSlashes(url: string): string {
  const [path, query] = pathAndQuery(url);
  const single = path.replaceAll(/\/{2,}/g, "/");
  if (!BELOW_SERVICE.test(single)) return url;
  return url.includes("?") ? `${single}?${query}` : single;
}

export function pathAndQuery(url: string): [path: string, query: string] {
  const [path = "", ...query] = url.split("?");
  return [path, query.join("?")];
}
