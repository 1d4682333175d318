import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Fault, type FaultSchedule, NO_FAULTS } from "./fault.ts";
import {
  type FdsnQuery,
  parseFdsnQuery,
  type ServedFormat,
  type Strictness,
} from "./fdsn-query.ts";
import { type SendOptions, sendError, sendEvents } from "./send-answer.ts";
import {
  createServedCatalogue,
  type ServedCatalogue,
  type ServedEvent,
} from "./served-catalogue.ts";

export type TestAgencyOptions = {
  readonly events?: Iterable<ServedEvent>;
  /** More events than this are refused. Default 10,000, as GeoNet. */
  readonly cap?: number;
  /** How: 413 as most agencies, 400 as USGS, or the first `cap` events as if they were all. */
  readonly overCap?: "413" | "400" | "silent";
  /** Exclusive bounds; by default GeoNet's: magnitude and depth, not time. */
  readonly strict?: Strictness;
  /**
   * Picks and arrivals of each event; 25 make about 10 KB. Default none. An agency that knows
   * includearrivals gives them only when it is asked for them.
   */
  readonly picks?: number;
  /** Parameters beyond GeoNet's. Default none. */
  readonly includes?: readonly string[];
  /** Parameters in its description; default none, and no description. */
  readonly described?: readonly string[];
  /** Default QuakeML and text. */
  readonly formats?: readonly ServedFormat[];
  /** Text rounded as GeoNet's. Default exact. */
  readonly rounded?: boolean;
  /** The beginning of XML documents, where events bring their own elements. */
  readonly xmlHead?: string;
  readonly gzip?: boolean;
  readonly contentType?: string;
  readonly contentLength?: boolean;
  /** The last line of text has no line end. */
  readonly unended?: boolean;
};

export type AgencyRequest = {
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  readonly fault: Fault | null;
  /** Milliseconds since 1970. */
  readonly at: number;
};

export type TestAgency = {
  /** `…/fdsnws/event/1` */
  readonly url: string;
  /** Every request that came in. */
  readonly requests: AgencyRequest[];
  /** The most requests that were open at a time, some of which their client had left already. */
  readonly peak: () => number;
  readonly open: () => number;
  /** How often its description was asked for. */
  readonly descriptions: () => number;
  readonly catalogue: ServedCatalogue;
  /** The faults from now on; none when left out. */
  readonly fail: (schedule?: FaultSchedule) => void;
  readonly close: () => Promise<void>;
};

/** A description as SeisComP's, with a comment around one parameter more. */
function describe(parameters: readonly string[]): string {
  const param = (name: string) => `<param name="${name}" style="query" type="xsd:boolean"/>`;
  return (
    '<?xml version="1.0"?>\n<application xmlns="http://wadl.dev.java.net/2009/02"><resources>' +
    `<resource path="query"><method name="GET"><request>${parameters.map(param).join("\n")}` +
    `<!-- not implemented ${param("includeall")} --></request></method></resource>` +
    "</resources></application>\n"
  );
}

/**
 * An FDSN event service on a free loopback port that behaves like GeoNet's
 * (`contracts/seismic-event/README.md`, FDSN event services): it refuses unknown parameters, has
 * exclusive bounds of magnitude and depth, answers unordered, and fails on request.
 */
export async function startTestAgency(options: TestAgencyOptions = {}): Promise<TestAgency> {
  const { cap = 10_000, overCap = "413", strict = { values: true, times: false } } = options;
  const { includes = [], formats = ["xml", "text"] } = options;
  const catalogue = createServedCatalogue(options.events ?? []);
  const requests: AgencyRequest[] = [];
  const attempts = new Map<string, number>();
  const used = new WeakSet<Socket>();
  let schedule = NO_FAULTS;
  let open = 0;
  let descriptions = 0;
  let peak = 0;

  function picksFor(query: FdsnQuery): number {
    const isGiven = !includes.includes("includearrivals") || query.includes.has("includearrivals");
    return isGiven ? (options.picks ?? 0) : 0;
  }

  function faultOf(address: string): Fault | null {
    const attempt = attempts.get(address) ?? 0;
    attempts.set(address, attempt + 1);
    return schedule(address, attempt);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://agency");
    if (url.pathname === "/fdsnws/event/1/application.wadl" && options.described !== undefined) {
      descriptions += 1;
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(describe(options.described));
      return;
    }
    if (url.pathname !== "/fdsnws/event/1/query") return sendError(response, 404, "");
    const fault = faultOf(url.search);
    const parameters = Object.fromEntries(url.searchParams);
    requests.push({ parameters, headers: request.headers, fault, at: Date.now() });
    if (fault?.kind === "hang") return;
    if (fault?.kind === "late") await fault.until;
    if (fault?.kind === "dropped" && used.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    used.add(request.socket);
    if (fault?.kind === "status") {
      return sendError(response, fault.status, fault.text ?? "the agency is not well", fault);
    }
    const query = parseFdsnQuery(url.searchParams, strict, { includes, formats });
    if (typeof query === "string") return sendError(response, 400, query);
    const found = catalogue.select(query);
    const silent = overCap === "silent" || fault?.kind === "capped";
    if (found.length > cap && !silent) {
      const message = `${found.length} matching events exceeds search limit of ${cap}`;
      return sendError(response, overCap === "400" ? 400 : 413, message);
    }
    if (found.length === 0 && fault === null) return sendError(response, 204, "");
    const send: SendOptions = {
      format: query.format,
      picks: picksFor(query),
      rounded: options.rounded ?? false,
      ...(options.xmlHead !== undefined && { xmlHead: options.xmlHead }),
      ...(options.contentType !== undefined && { contentType: options.contentType }),
      contentLength: options.contentLength ?? false,
      unended: options.unended ?? false,
      gzip: (options.gzip ?? false) && /gzip/.test(String(request.headers["accept-encoding"])),
    };
    await sendEvents(response, found.slice(0, cap), send, fault);
  }

  const server = createServer((request, response) => {
    open += 1;
    peak = Math.max(peak, open);
    response.on("close", () => {
      open -= 1;
    });
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/fdsnws/event/1`,
    requests,
    peak: () => peak,
    open: () => open,
    descriptions: () => descriptions,
    catalogue,
    fail: (next = NO_FAULTS) => {
      schedule = next;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
