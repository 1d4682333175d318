import type { FastifyReply, FastifyRequest } from "fastify";
import { wantsJsonErrors } from "#contracts/fdsn/raw-parameters.ts";
import { errorJson, errorText } from "#infra/formats/fdsn/error-text.ts";
import { pathAndQuery } from "./event-service-paths.ts";

const METHOD_PATH =
  /\/fdsnws\/event\/1\/(?:query(?:\.\w+)?|count|catalogs|contributors|version|application\.(?:wadl|json))$/;
const QUERYAUTH_PATH = /\/fdsnws\/event\/1\/queryauth$/;

/** Whether the event service has the path of a request, but not for its method; `queryauth` it has for none. */
export function hasWrongMethod({ method, url }: Pick<FastifyRequest, "method" | "url">): boolean {
  const [path] = pathAndQuery(url);
  const isRead = method === "GET" || method === "HEAD";
  return QUERYAUTH_PATH.test(path) || (!isRead && METHOD_PATH.test(path));
}

type FdsnError = {
  readonly status: number;
  readonly detail: string;
  /** Where people sign in, for those who came with a browser. */
  readonly signIn?: string | undefined;
  readonly publicBaseUrl: string;
};

/** Answers an error of the event service as its standard says, or as ComCat's JSON where that is asked. */
export function sendFdsnError(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, detail, signIn, publicBaseUrl }: FdsnError,
): FastifyReply {
  const [path, query] = pathAndQuery(request.url);
  const error = {
    status,
    detail,
    signIn,
    usage: `${publicBaseUrl}/api/docs`,
    request: publicBaseUrl + request.url,
    submitted: new Date().toISOString(),
  };
  if (status === 405) {
    reply.header("allow", QUERYAUTH_PATH.test(path) ? "OPTIONS" : "GET, HEAD, OPTIONS");
  }
  if (wantsJsonErrors(query, path.split(".").at(1))) {
    // Clients sign in where the status asks for it.
    return reply
      .code(status === 401 ? 401 : 200)
      .type("application/json; charset=utf-8")
      .send(errorJson(error));
  }
  return reply.code(status).type("text/plain; charset=utf-8").send(errorText(error));
}
