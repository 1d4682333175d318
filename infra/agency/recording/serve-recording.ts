import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text as textOf } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { type WebSocket, WebSocketServer } from "ws";
import { z } from "zod";
import { longNameOf } from "#contracts/fdsn/query.ts";
import { isBetweenMeridians } from "#contracts/geometry/globe.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import { parseTime, timeToMicros } from "#contracts/seismic-event/time.ts";
import { errorText } from "../../formats/facade/fdsn-documents.ts";
import { atOnce } from "../../kernel/iteration.ts";
import { type AgencyEvent, createAnswerReader } from "../answer.ts";
import { type AnswerFormat, FORMAT_NAMES } from "../query.ts";
import { bodyOf, type RecordedAnswer, type Recording } from "./recording.ts";

/** As EMSC's. */
const PATH = "/standing_order/websocket";

/** Takes WebSocket clients beside what a server answers, who listen to what it tells by itself. */
function serveMessages(server: Server) {
  const sockets = new WebSocketServer({ server, path: PATH });
  // Those of the server, of which whoever opens it is told.
  sockets.on("error", () => undefined);
  const all = (each: (client: WebSocket) => void): number => {
    for (const client of sockets.clients) each(client);
    return sockets.clients.size;
  };
  return {
    /** @returns how many clients it was sent to */
    send: (text: string) => all((client) => client.send(text)),
    close(): void {
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
export async function serveRecording(recording: Recording, options: ServeOptions) {
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
    /** Of its messages in EMSC's shape. */
    pushUrl: `ws://127.0.0.1:${port}${PATH}`,
    close: async (): Promise<void> => {
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
async function replay(recording: Recording, answer: RecordedAnswer, response: ServerResponse) {
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

/** An answer in parts, of which the first is its head and the last its tail; both may be empty. */
type AnswerPart = { readonly kind: "head" | "event" | "tail"; readonly text: string };

/**
 * Cuts an answer into its events, without a byte more or less but in JSON. Texts are latin1: each character is one
 * byte of the answer, whatever its encoding is.
 */
function splitAnswer(format: string, body: Readable): AsyncGenerator<AnswerPart> {
  body.setEncoding("latin1");
  switch (format) {
    case "xml":
      return elementsOf(body);
    case "geojson":
      return featuresOf(body);
    case "isf":
      return linesOf(body, (line) => {
        if (/^event\s/i.test(line)) return "event";
        return /^stop\s*$/i.test(line) ? "tail" : null;
      });
    default:
      return linesOf(body, (_line, count) => (count === 0 ? "head" : "event"));
  }
}

const BEGIN = /<(?:\w+:)?event[\s>]/;
const END = /<\/(?:\w+:)?event>/;

async function* elementsOf(body: AsyncIterable<string>): AsyncGenerator<AnswerPart> {
  let rest = "";
  let isHead = true;
  for await (const chunk of body) {
    rest += chunk;
    if (isHead) {
      const begin = BEGIN.exec(rest);
      if (begin === null) continue;
      yield { kind: "head", text: rest.slice(0, begin.index) };
      rest = rest.slice(begin.index);
      isHead = false;
    }
    for (let end = END.exec(rest); end !== null; end = END.exec(rest)) {
      const length = end.index + end[0].length;
      yield { kind: "event", text: rest.slice(0, length) };
      rest = rest.slice(length);
    }
  }
  if (isHead) yield { kind: "head", text: rest };
  yield { kind: "tail", text: isHead ? "" : rest };
}

/** ComCat gives 20,000 features at most. They come without the commas between them, and without their count. */
async function* featuresOf(body: Readable): AsyncGenerator<AnswerPart> {
  const { features, metadata, type } = Collection.parse(JSON.parse(await textOf(body)));
  const head = JSON.stringify({ type, metadata: { ...metadata, count: undefined } });
  yield { kind: "head", text: `${head.slice(0, -1)},"features":[` };
  for (const feature of features) yield { kind: "event", text: JSON.stringify(feature) };
  yield { kind: "tail", text: "]}" };
}

const Collection = z.object({
  type: z.string(),
  metadata: z.record(z.string(), z.unknown()).default({}),
  features: z.array(z.unknown()),
});

/** Parts begin where `begins` names a kind; other lines belong to the part before them. */
async function* linesOf(
  body: Readable,
  begins: (line: string, count: number) => AnswerPart["kind"] | null,
): AsyncGenerator<AnswerPart> {
  let kind: AnswerPart["kind"] = "head";
  let text = "";
  let count = 0;
  for await (const line of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
    const next = line === "" ? null : begins(line, count);
    count += 1;
    if (next !== null && (next !== "head" || kind !== "head")) {
      yield { kind, text };
      [kind, text] = [next, ""];
    }
    text += `${line}\n`;
  }
  yield { kind, text };
  if (kind !== "tail") yield { kind: "tail", text: "" };
}

type EventChoice = {
  /** What lies outside the recorded windows is taken not to exist. */
  readonly isWhole: boolean;
  /** Bare ids of events that are left out. */
  readonly without: ReadonlySet<string>;
};

type Placed = { readonly answer: RecordedAnswer; readonly query: RecordedQuery };

/** The answers that together hold all that is asked for, in order of time; null where they do not. */
function answersFor(
  { answers }: Recording,
  wanted: RecordedQuery,
  { isWhole }: Pick<EventChoice, "isWhole">,
): readonly RecordedAnswer[] | null {
  const groups = new Map<string, Placed[]>();
  for (const answer of answers) {
    const query = queryOf(answer);
    if (query === null || query.format !== wanted.format || query.rest !== wanted.rest) continue;
    if (!isWithinBounds(wanted, query)) continue;
    const group = JSON.stringify(query.bounds);
    groups.set(group, [...(groups.get(group) ?? []), { answer, query }]);
  }
  for (const placed of groups.values()) {
    const sorted = placed.toSorted((a, b) => compare(a.query.start, b.query.start));
    if (isWhole || isCovered(wanted, sorted)) return sorted.map(({ answer }) => answer);
  }
  return null;
}

/** Null for an answer that holds no events as it should. */
function queryOf({ request, status, broken }: RecordedAnswer): RecordedQuery | null {
  const [method, search] = request.split("?");
  if (method !== "query" || broken !== null || (status !== 200 && status !== 204)) return null;
  const query = recordedQuery(new URLSearchParams(search));
  return typeof query === "string" ? null : query;
}

function compare(a: bigint | null, b: bigint | null): number {
  if (a === b) return 0;
  return a === null || (b !== null && a < b) ? -1 : 1;
}

function isCovered(wanted: RecordedQuery, sorted: readonly Placed[]): boolean {
  let reached = wanted.start;
  for (const { query } of sorted) {
    if (query.start !== null && (reached === null || query.start > reached)) return false;
    if (query.end === null) return true;
    if (reached === null || query.end > reached) reached = query.end;
    if (wanted.end !== null && reached >= wanted.end) return true;
  }
  return false;
}

const SEPARATORS: Readonly<Record<string, string>> = { geojson: "," };

/** A part of the answers' events that match, each id once, between the head and the tail of the first answer. */
async function* selectEvents(
  recording: Recording,
  answers: readonly RecordedAnswer[],
  wanted: RecordedQuery,
  { without }: Pick<EventChoice, "without">,
): AsyncGenerator<AnswerPart> {
  const format = formatNamed(wanted.format);
  if (format === null) return;
  const seen = new Set<string>(without);
  let frame: { readonly head: string; tail: string } | null = null;
  for (const answer of answers) {
    if (answer.bytes === 0) continue;
    let head = "";
    for await (const { kind, text } of splitAnswer(format, bodyOf(recording, answer))) {
      if (kind === "head") head = text;
      else if (kind === "tail" && frame !== null && frame.tail === "") frame.tail = text;
      if (kind !== "event") continue;
      const event = eventIn(format, head, text);
      if (event === null || !matches(wanted, event) || !isNew(event, seen)) continue;
      const isFirst: boolean = frame === null;
      if (frame === null) {
        frame = { head, tail: "" };
        yield { kind: "head", text: head };
      }
      yield { kind: "event", text: isFirst ? text : (SEPARATORS[format] ?? "") + text };
    }
  }
  if (frame !== null) yield { kind: "tail", text: frame.tail };
}

function formatNamed(name: string): AnswerFormat | null {
  return Object.hasOwn(FORMAT_NAMES, name) ? (name as AnswerFormat) : null;
}

/** The end of a document with the head; none of text. */
const TAILS: Readonly<Record<string, (head: string) => string>> = {
  xml: (head) => {
    const tags = [...head.matchAll(/<((?:\w+:)?(?:quakeml|eventParameters))[\s>]/g)];
    return tags
      .map(([, tag]) => `</${tag}>`)
      .reverse()
      .join("");
  },
  isf: () => "STOP\n",
  geojson: () => "]}",
};

/** The event of one part; null where it cannot be read. */
function eventIn(format: AnswerFormat, head: string, text: string): AgencyEvent | null {
  const events: AgencyEvent[] = [];
  const reader = createAnswerReader(format, {
    event: ({ event }) => events.push(event),
    unreadable() {},
    fault() {},
  });
  reader.write(Buffer.from(head + text + (TAILS[format]?.(head) ?? ""), "latin1"));
  atOnce(reader.end(true));
  return events[0] ?? null;
}

/** The first recorded form of an event; null where there is none. */
async function findEvent(recording: Recording, id: string): Promise<AgencyEvent | null> {
  for (const answer of recording.answers) {
    const query = queryOf(answer);
    const format = query === null ? null : formatNamed(query.format);
    if (format === null || answer.bytes === 0) continue;
    let head = "";
    for await (const { kind, text } of splitAnswer(format, bodyOf(recording, answer))) {
      if (kind === "head") head = text;
      const event = kind === "event" ? eventIn(format, head, text) : null;
      if (event !== null && idOf(event) === id) return event;
    }
  }
  return null;
}

function idOf(event: AgencyEvent): string | null {
  const { sourceId, publicId } = idsOf({ source_id: event["source_id"], extra: event["extra"] });
  return sourceId ?? publicId;
}

function isNew(event: AgencyEvent, seen: Set<string>): boolean {
  const id = idOf(event);
  if (id === null) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return true;
}

const BOUNDS = [
  "minmagnitude",
  "maxmagnitude",
  "mindepth",
  "maxdepth",
  "minlatitude",
  "maxlatitude",
  "minlongitude",
  "maxlongitude",
] as const;
type Bound = (typeof BOUNDS)[number];

/** What a request to an event service asks for, as far as recordings know it. */
type RecordedQuery = {
  readonly format: string;
  /** Microseconds since 1970, inclusive; null for none. */
  readonly start: bigint | null;
  readonly end: bigint | null;
  readonly bounds: Readonly<Partial<Record<Bound, number>>>;
  /** All other parameters, in one order: they are the same or another question. */
  readonly rest: string;
};

/** Of a recording all is told, however old, and the status without events is 204. */
const WITHOUT_EFFECT = ["updatedafter", "nodata", "orderby"];

/** The query, or what is wrong with it. */
function recordedQuery(given: URLSearchParams): RecordedQuery | string {
  const bounds: Partial<Record<Bound, number>> = {};
  const rest: string[] = [];
  let format = "xml";
  let start: bigint | null = null;
  let end: bigint | null = null;
  for (const [spelling, value] of given) {
    const name = longNameOf(spelling) ?? spelling;
    const bound = BOUNDS.find((one) => one === name);
    if (bound !== undefined) {
      if (!/^-?\d+(?:\.\d+)?$/.test(value)) return `${spelling} is no number`;
      bounds[bound] = Number(value);
    } else if (name === "starttime" || name === "endtime") {
      const time = parseTime(value);
      if (time === null) return `${spelling} is no time`;
      if (name === "starttime") start = timeToMicros(time);
      else end = timeToMicros(time);
    } else if (name === "format") {
      format = value;
    } else if (!WITHOUT_EFFECT.includes(name) && value !== "false") {
      rest.push(`${name}=${value}`);
    }
  }
  return { format, start, end, bounds, rest: rest.sort().join("&") };
}

/** Whether all that `wanted` asks for is in what was recorded for the filters of `recorded`. */
function isWithinBounds(wanted: RecordedQuery, recorded: RecordedQuery): boolean {
  return BOUNDS.every((name) => {
    const [had, bound] = [recorded.bounds[name], wanted.bounds[name]];
    if (had === undefined) return true;
    if (bound === undefined) return false;
    return name.startsWith("min") ? bound >= had : bound <= had;
  });
}

/** Bounds are inclusive; an unknown value satisfies none. */
function matches({ start, end, bounds }: RecordedQuery, event: AgencyEvent): boolean {
  const micros = timeToMicros(event.time);
  if ((start !== null && micros < start) || (end !== null && micros > end)) return false;
  const isIn = (name: "magnitude" | "depth" | "latitude"): boolean => {
    const [min, max] = [bounds[`min${name}`], bounds[`max${name}`]];
    if (min === undefined && max === undefined) return true;
    const value = event[name];
    return typeof value === "number" && value >= (min ?? value) && value <= (max ?? value);
  };
  return isIn("magnitude") && isIn("depth") && isIn("latitude") && isInLongitude(bounds, event);
}

function isInLongitude(bounds: RecordedQuery["bounds"], event: AgencyEvent): boolean {
  const { minlongitude: west, maxlongitude: east } = bounds;
  if (west === undefined && east === undefined) return true;
  const { latitude, longitude } = event;
  if (typeof latitude !== "number" || typeof longitude !== "number") return false;
  return isBetweenMeridians(west ?? -180, east ?? 180, latitude, longitude);
}
