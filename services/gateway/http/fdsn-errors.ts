import type { FastifyReply, FastifyRequest } from "fastify";
import { wantsJsonErrors } from "#contracts/fdsn/raw-parameters.ts";
import { errorJson, errorText } from "#infra/formats/fdsn/error-text.ts";

const BELOW_SERVICE = /\/fdsnws\//;
const METHOD_PATH =
  /\/fdsnws\/event\/1\/(?:query(?:\.\w+)?|count|catalogs|contributors|version|application\.(?:wadl|json))$/;
const QUERYAUTH_PATH = /\/fdsnws\/event\/1\/queryauth$/;

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

/** Whether the event service has the path of a request, but not for its method; `queryauth` it has for none. */
export function hasWrongMethod({ method, url }: Pick<FastifyRequest, "method" | "url">): boolean {
  const [path] = pathAndQuery(url);
  const isRead = method === "GET" || method === "HEAD";
  return QUERYAUTH_PATH.test(path) || (!isRead && METHOD_PATH.test(path));
}

type FdsnError = {
  readonly status: number;
  readonly detail: string;
  readonly publicBaseUrl: string;
};

/** Answers an error of the event service as its standard says, or as ComCat's JSON where that is asked. */
export function sendFdsnError(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, detail, publicBaseUrl }: FdsnError,
): FastifyReply {
  const [path, query] = pathAndQuery(request.url);
  const error = {
    status,
    detail,
    usage: `${publicBaseUrl}/api/docs`,
    request: publicBaseUrl + request.url,
    submitted: new Date().toISOString(),
  };
  if (status === 405) {
    reply.header("allow", QUERYAUTH_PATH.test(path) ? "OPTIONS" : "GET, HEAD, OPTIONS");
  }
  if (status === 401) reply.header("www-authenticate", "Bearer");
  if (wantsJsonErrors(query, path.split(".").at(1))) {
    return reply.code(200).type("application/json; charset=utf-8").send(errorJson(error));
  }
  return reply.code(status).type("text/plain; charset=utf-8").send(errorText(error));
}

/** The address of a request for the event service, in which clients double slashes; any other as it is. */
export function withSingleSlashes(url: string): string {
  const [path, query] = pathAndQuery(url);
  const single = path.replaceAll(/\/{2,}/g, "/");
  if (!BELOW_SERVICE.test(single)) return url;
  return url.includes("?") ? `${single}?${query}` : single;
}

function pathAndQuery(url: string): [path: string, query: string] {
  const [path = "", ...query] = url.split("?");
  return [path, query.join("?")];
}
