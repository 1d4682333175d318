import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { errorText } from "../../formats/facade/fdsn-documents.ts";
import type { AgencyEvent } from "../answer.ts";
import {
  answersFor,
  type EventChoice,
  findEvent,
  formatNamed,
  recordedQuery,
  selectEvents,
} from "./recorded-events.ts";
import { bodyOf, type RecordedAnswer, type Recording } from "./recording.ts";

/** As EMSC's. */
const PATH = "/standing_order/websocket";

/** Clients of a served recording that listen to what it tells by itself. */
type ServedMessages = {
  /** @returns how many clients it was sent to */
  readonly send: (text: string) => number;
  readonly close: () => void;
};

/** Takes WebSocket clients beside what a server answers. */
function serveMessages(server: Server): ServedMessages {
  const sockets = new WebSocketServer({ server, path: PATH });
  // Those of the server, of which whoever opens it is told.
  sockets.on("error", () => undefined);
  const all = (each: (client: WebSocket) => void): number => {
    for (const client of sockets.clients) each(client);
    return sockets.clients.size;
  };
  return {
    send: (text) => all((client) => client.send(text)),
    close() {
      all((client) => client.terminate());
      sockets.close();
    },
  };
}

/** Codes of EMSC: felt or not, what it was, of which earthquakes alone are told apart here. */
const EARTHQUAKE = "ke";

/**
 * An event in the shape of EMSC's live messages: the depth is positive in the properties and a height in the geometry,
 * both in km.
 * @param updatedAt when the agency last changed it, ISO 8601 UTC
 */
function emscMessage(id: string, event: AgencyEvent, updatedAt: string): string {
  const { time, latitude, longitude, depth = null, magnitude = null, region = null } = event;
  const height = typeof depth === "number" ? -depth : null;
  const type = event["magnitude_type"];
  return JSON.stringify({
    action: "update",
    data: {
      type: "Feature",
      geometry: { type: "Point", coordinates: [longitude, latitude, height] },
      id,
      properties: {
        ...{ source_id: id, lastupdate: updatedAt, time, flynn_region: region, depth },
        ...{ lat: latitude, lon: longitude, evtype: EARTHQUAKE, mag: magnitude },
        ...{ magtype: typeof type === "string" ? type.toLowerCase() : null, unid: id },
      },
    },
  });
}

export type ServeOptions = EventChoice & {
  /** On 127.0.0.1; 0 for any that is free. */
  readonly port: number;
};

export type ServedRecording = {
  /** `http://127.0.0.1:…/fdsnws/event/1` */
  readonly url: string;
  /** Of its messages in EMSC's shape: `ws://127.0.0.1:…/standing_order/websocket` */
  readonly pushUrl: string;
  readonly close: () => Promise<void>;
};

const BASE = "/fdsnws/event/1";
/** What changes the served agency: `POST /events/<id>/withdraw`, `POST /events/<id>/tell`. */
const CHANGE = /^\/events\/([^/?]+)\/(withdraw|tell)$/;
const PLAIN = "text/plain";
const TYPES: Readonly<Record<string, string>> = {
  xml: "application/xml",
  geojson: "application/json",
};

/**
 * A recording as the event service that it was made from: recorded requests are answered as they were,
 * other windows and filters within them from the recorded events, anything else by the standard's error. Events can be
 * withdrawn, and told of to those who listen, while it is served.
 */
export async function serveRecording(
  recording: Recording,
  options: ServeOptions,
): Promise<ServedRecording> {
  const recorded = new Map(recording.answers.map((answer) => [keyOf(answer.request), answer]));
  const without = new Set(options.without);
  const choice: EventChoice = { isWhole: options.isWhole, without };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    const [, id, change] = CHANGE.exec(path) ?? [];
    if (id !== undefined && request.method === "POST") {
      const done = await changed(decodeURIComponent(id), change === "withdraw");
      if (done === null) return refuse(request, response, 404, "the recording has no such event");
      response.writeHead(200, { "content-type": PLAIN });
      return void response.end(`${done}\n`);
    }
    if (!path.startsWith(`${BASE}/`))
      return refuse(request, response, 404, "there is no such address");
    const method = path.slice(BASE.length + 1);
    const isQuery = /^query(?:\?|$)/.test(method);
    const known = isQuery && without.size > 0 ? undefined : recorded.get(keyOf(method));
    if (known !== undefined) return replay(recording, known, response);
    if (!isQuery) return refuse(request, response, 404, "it was not recorded");
    return select(request, response, new URLSearchParams(method.slice("query?".length)));
  }

  async function select(
    request: IncomingMessage,
    response: ServerResponse,
    parameters: URLSearchParams,
  ): Promise<void> {
    const query = recordedQuery(parameters);
    if (typeof query === "string") return refuse(request, response, 400, query);
    const format = formatNamed(query.format);
    const answers = answersFor(recording, query, choice);
    if (format === null || answers === null) {
      return refuse(request, response, 400, "the recording does not hold all that is asked for");
    }
    for await (const { text } of selectEvents(recording, answers, query, choice)) {
      if (!response.headersSent)
        response.writeHead(200, { "content-type": TYPES[format] ?? PLAIN });
      if (!response.write(text, "latin1")) await once(response, "drain");
    }
    if (!response.headersSent) response.writeHead(204);
    response.end();
  }

  /** What was done, as a sentence; null for an event that was not recorded. */
  async function changed(id: string, isWithdrawn: boolean): Promise<string | null> {
    const event = await findEvent(recording, id);
    if (event === null) return null;
    if (isWithdrawn) {
      without.add(id);
      return `${id} is withdrawn`;
    }
    without.delete(id);
    const clients = messages.send(emscMessage(id, event, new Date().toISOString()));
    return `${id} was told to ${clients} of those who listen`;
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const messages = serveMessages(server);
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${BASE}`,
    pushUrl: `ws://127.0.0.1:${port}${PATH}`,
    close: async () => {
      const closed = once(server, "close");
      messages.close();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The same for parameters in another order. */
function keyOf(request: string): string {
  const [method = "", search = ""] = request.split("?");
  const parameters = new URLSearchParams(search);
  parameters.sort();
  return `${method}?${parameters}`;
}

/** An answer as it was; one that was broken off breaks off. */
async function replay(
  recording: Recording,
  answer: RecordedAnswer,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, bytes, broken } = answer;
  const length = status === 204 ? {} : { "content-length": bytes + (broken === null ? 0 : 1) };
  response.writeHead(status, { ...headers, ...length });
  if (status === 204) return void response.end();
  await pipeline(bodyOf(recording, answer), response, { end: false });
  if (broken === null) response.end();
  else response.destroy();
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  detail: string,
): void {
  const submitted = new Date().toISOString();
  const address = `http://${request.headers.host ?? "127.0.0.1"}${request.url ?? ""}`;
  response.writeHead(status, { "content-type": PLAIN });
  response.end(errorText({ status, detail, usage: BASE, request: address, submitted }));
}
