import { gunzipSync } from "node:zlib";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from "fastify";
import helmet from "helmet";
import { Refusal } from "#contracts/errors.ts";
import type { BuiltConsole } from "#services/console/build/build-console.ts";
import { PAGE_WITHOUT_CONSOLE } from "#services/console/build/page.ts";
import { acceptedEncoding, acceptedType, matchesWeakly, parseEntityTags } from "../headers.ts";
import { plainPath } from "./answers.ts";
import { addVary, headersOf } from "./headers.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Files and pages of the console, the same for every caller. */
    isConsole?: true;
  }
}

const IMMUTABLE = "public, max-age=31536000, immutable";
/** Addresses of programs, where a browser too gets what programs get. */
const OF_PROGRAMS = /^\/(?:api|metrics|assets)(?:\/|$)|\/fdsnws(?:\/|$)/;
/** What is given to people and to programs, each of whom gets an answer. */
const SHARE = "/api/share/:token";

/** What the console's pages may load and do: everything comes from this service. */
const POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'self'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** Helmet's headers about documents, of which no file is one. A page's hundred would repeat them for a tenth of its bytes. */
const OF_DOCUMENTS = [
  "content-security-policy",
  "cross-origin-opener-policy",
  "origin-agent-cluster",
  "referrer-policy",
  "x-dns-prefetch-control",
  "x-download-options",
  "x-frame-options",
  "x-permitted-cross-domain-policies",
  "x-xss-protection",
] as const;

export type ConsoleOptions = {
  /** Null where it could not be built; pages then explain this. */
  readonly built: BuiltConsole | null;
  /** Origins of pictures beside the service's own: of map tiles. */
  readonly pictureOrigins: readonly string[];
};

/**
 * Serves the console: its files below `/assets/`, and at every other address that has no operation
 * the page that starts it, to browsers, as at the address of a share and below it at the pages of the
 * shared catalogue. The root is the page for everybody.
 */
export function registerConsole(app: FastifyInstance, options: ConsoleOptions): void {
  const { built, pictureOrigins } = options;
  const imgSrc = ["'self'", "data:", "blob:", ...pictureOrigins];
  const directives = { ...POLICY.directives, imgSrc };
  const headers = headersOf(helmet({ contentSecurityPolicy: { ...POLICY, directives } }));
  const policy = headers["content-security-policy"];
  const page = built?.page ?? PAGE_WITHOUT_CONSOLE;
  const config = { isConsole: true } as const;

  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    reply.header("content-security-policy", policy).header("cache-control", "no-cache");
    if (built && isKnown(request, reply, built.pageTag)) return reply.code(304).send();
    return reply
      .code(built ? 200 : 503)
      .type("text/html; charset=utf-8")
      .send(page);
  };
  app.get("/", { config }, async (request, reply) => sendPage(request, reply));
  app.get("/*", { config }, async (request, reply) => {
    const isOfPrograms = OF_PROGRAMS.test(plainPath(request.url));
    if (!isOfPrograms) addVary(reply, ["Accept"]);
    if (isOfPrograms || !wantsPage(request)) return reply.callNotFound();
    return sendPage(request, reply);
  });
  app.get(`${SHARE}/catalogues/*`, { config }, async (request, reply) =>
    wantsPage(request) ? sendPage(request, reply) : reply.callNotFound(),
  );
  // Before the operation at the address asks whether there is such a share: the page asks it, and tells.
  const sharePage: onRequestAsyncHookHandler = async (request, reply) => {
    addVary(reply, ["Accept"]);
    if (wantsPage(request)) return sendPage(request, reply);
  };
  app.addHook("onRoute", (route) => {
    if (route.url === SHARE) route.onRequest = [sharePage, ...[route.onRequest ?? []].flat()];
  });
  app.get("/assets/:name", { config }, async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const file = built?.assets.get(name);
    if (!file) throw new Refusal("NOT_FOUND", "There is no such file");
    for (const header of OF_DOCUMENTS) reply.removeHeader(header);
    reply
      .type(file.contentType)
      .header("cache-control", IMMUTABLE)
      .header("vary", "accept-encoding");
    const takesGzip = acceptedEncoding(request, ["gzip", "identity"]) === "gzip";
    // The name is made of the content: all that an address can have is that, compressed or not.
    const tag = takesGzip ? '"gzip"' : '"plain"';
    if (isKnown(request, reply, tag)) return reply.code(304).send();
    if (!takesGzip) return reply.send(gunzipSync(file.gzipped));
    return reply.header("content-encoding", "gzip").send(file.gzipped);
  });
}

/** Sets the entity tag, and tells whether the client has that state already. */
function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header("etag", tag);
  const known = parseEntityTags(request.headers["if-none-match"]);
  return known !== null && matchesWeakly(known, tag);
}

/** Browsers name HTML before anything else; programs that accept anything get the error of the API. */
function wantsPage({ headers: { accept } }: FastifyRequest): boolean {
  const isNamed = /\btext\/html\b/.test(accept ?? "");
  return isNamed && acceptedType(accept, ["application/json", "text/html"]) === "text/html";
}
