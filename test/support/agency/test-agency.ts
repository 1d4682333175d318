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
  GEONET,
  HABITS,
  type Habits,
  parseFdsnQuery,
  type ServedDialect,
} from "./fdsn-query.ts";
import { type SendOptions, sendError, sendEvents } from "./send-answer.ts";
import {
  createServedCatalogue,
  type ServedCatalogue,
  type ServedEvent,
} from "./served-catalogue.ts";

/** Habits that are not named are the dialect's, and without a dialect GeoNet's, with exact text. */
export type TestAgencyOptions = Partial<Habits> & {
  readonly dialect?: ServedDialect;
  readonly events?: Iterable<ServedEvent>;
  /**
   * Picks and arrivals of each event; 25 make about 10 KB. Default none. An agency that knows
   * includearrivals gives them only when it is asked for them.
   */
  readonly picks?: number;
  /** The beginning of XML documents, where events bring their own elements. */
  readonly xmlHead?: string;
  readonly gzip?: boolean;
  readonly contentType?: string;
  readonly contentLength?: boolean;
  /** The last line of text has no line end. */
  readonly unended?: boolean;
  /** Events that requests with `updatedafter` leave out, however new they are. Default none. */
  readonly forgets?: (event: ServedEvent) => boolean;
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
  /** Refuses all connections, or takes them again under its address. */
  readonly refuse: (isRefusing: boolean) => Promise<void>;
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
 * An FDSN event service on a free loopback port that has a dialect's habits, by default GeoNet's
 * (`contracts/seismic-event/README.md`, FDSN event services): it refuses unknown parameters, has
 * exclusive bounds of magnitude and depth, answers unordered, and fails on request.
 */
export async function startTestAgency(options: TestAgencyOptions = {}): Promise<TestAgency> {
  const { dialect } = options;
  const habits: Habits = { ...(dialect === undefined ? GEONET : HABITS[dialect]), ...options };
  const { cap, overCap, includes } = habits;
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

  function foundFor(query: FdsnQuery): ServedEvent[] {
    const found = catalogue.select(query);
    const { forgets } = options;
    if (forgets === undefined || query.updatedAfterMs === Number.NEGATIVE_INFINITY) return found;
    return found.filter((event) => !forgets(event));
  }

  function faultOf(address: string): Fault | null {
    const attempt = attempts.get(address) ?? 0;
    attempts.set(address, attempt + 1);
    return schedule(address, attempt);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://agency");
    if (url.pathname === "/fdsnws/event/1/application.wadl" && habits.described !== undefined) {
      descriptions += 1;
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(describe(habits.described));
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
    const spaced = habits.spacedErrors;
    const refused = habits.unimplemented.find((name) => url.searchParams.has(name));
    if (refused !== undefined) {
      return sendError(response, 501, `${refused} is not implemented`, { spaced });
    }
    const query = parseFdsnQuery(url.searchParams, habits);
    if (typeof query === "string") return sendError(response, 400, query, { spaced });
    const found = foundFor(query);
    const silent = overCap === "silent" || fault?.kind === "capped";
    if (found.length > cap && !silent) {
      const message = `${found.length} matching events exceeds search limit of ${cap}`;
      return sendError(response, overCap === "400" ? 400 : 413, message, { spaced });
    }
    // USGS sends documents without events.
    const isEmpty = found.length === 0 && query.format !== "geojson";
    if (isEmpty && fault === null) return sendError(response, 204, "");
    const send: SendOptions = {
      format: query.format,
      picks: picksFor(query),
      rounded: habits.rounded,
      typed: habits.typed,
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

  async function stop(): Promise<void> {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

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
    refuse: async (isRefusing) => {
      if (isRefusing === !server.listening) return;
      if (isRefusing) return stop();
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    close: async () => {
      if (server.listening) await stop();
    },
  };
}
