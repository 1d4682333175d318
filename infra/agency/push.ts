/** Events that an agency sends by itself, over a connection that is kept. */

import { once } from "node:events";
import { WebSocket } from "ws";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import { MINUTE_MS } from "#contracts/units.ts";
import { createJsonReader } from "../formats/json/reader.ts";
import { InvalidJson, parseJson } from "../json/json.ts";
import { settledWithin, sleep, supervise } from "../kernel/waiting.ts";
import type { Logger } from "../process/logger.ts";
import { type AgencyEvent, eventOfBulletin } from "./answer.ts";
import { type AddressRules, createAddressGuard } from "./http/address-guard.ts";

/** An agency that sends what it has by itself. */
export type PushSource = {
  readonly id: string;
  /** ws or wss. */
  readonly address: string;
  /** Where that may lead; absent for that of the configuration, by the operator's word. */
  readonly addresses?: AddressRules;
  readonly userAgent: string;
};

export type PushListener = {
  readonly connected: () => void;
  readonly lost: () => void;
  /** It has sent more than is taken: the rest was not read, and it is left for a while. */
  readonly flooded: () => void;
  readonly message: (bytes: Buffer) => void;
};

export type PushTimes = {
  /** Between two pings: EMSC's server sends none, and drops clients without. */
  readonly pingMs: number;
  /** Before the first new try, and the longest wait. */
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  /** In which it may send no more than is taken of it. */
  readonly budgetMs: number;
};

export const PUSH_TIMES: PushTimes = {
  pingMs: 12_000,
  backoff: { baseMs: 1_000, capMs: 120_000 },
  budgetMs: MINUTE_MS,
};

export type PushOptions = {
  readonly logger: Logger;
  readonly times: PushTimes;
  /** Closes the connection. */
  readonly signal: AbortSignal;
};

const HANDSHAKE_MS = 10_000;
/** How long the agency may take to say goodbye, too. */
const GOODBYE_MS = 1_000;
/** A longer message ends the connection; what is too long for an event alone is left by its reader. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;
/** Of one source in a minute, over all of its connections: EMSC sends some hundreds a day. */
const BUDGET = { messages: 600, bytes: 8 * 1024 * 1024 };

/** A source has sent more than is taken of it. */
class TooManyMessages extends Error {
  override readonly name = "TooManyMessages";
  override readonly message = "it sent more messages than are taken in a minute";
}

/**
 * Keeps a connection to an agency until the signal aborts: pings it, takes silence for its end, and connects again
 * after growing waits, which are short again once a ping was answered. One that sends too much is left until its
 * minute is over.
 */
export function keepConnected(
  source: PushSource,
  listener: PushListener,
  { logger, signal, ...options }: PushOptions,
): Promise<void> {
  const { times } = options;
  const budget = createBudget(times.budgetMs);
  return supervise(
    async (progressed) => {
      await sleep(budget.waitMs(), signal);
      await connectOnce(source, listener, { ...options, budget, progressed, signal });
    },
    {
      signal,
      logger,
      name: `messages of ${source.id}`,
      backoff: times.backoff,
    },
  );
}

/** What a source may send still, counted from its first message on. */
function createBudget(budgetMs: number) {
  let began = Number.NEGATIVE_INFINITY;
  let left = BUDGET;
  const waitMs = (): number => Math.max(0, began + budgetMs - performance.now());
  const isSpent = (): boolean => left.messages < 0 || left.bytes < 0;
  return {
    /** @returns whether so many further bytes may be taken */
    take(bytes: number): boolean {
      if (waitMs() === 0) {
        began = performance.now();
        left = BUDGET;
      }
      left = { messages: left.messages - 1, bytes: left.bytes - bytes };
      return !isSpent();
    },
    /** Until something may be taken. */
    waitMs: (): number => (isSpent() ? waitMs() : 0),
  };
}

/** Resolves when the connection has ended. @throws AddressRefused, TooManyMessages, errors of the connection */
async function connectOnce(
  { address, addresses, userAgent }: PushSource,
  listener: PushListener,
  {
    times: { pingMs },
    budget,
    progressed,
    signal,
  }: Omit<PushOptions, "logger"> & {
    readonly budget: ReturnType<typeof createBudget>;
    readonly progressed: () => void;
  },
): Promise<void> {
  const guard = addresses ? createAddressGuard(addresses) : null;
  guard?.require(new URL(address));
  const socket = new WebSocket(address, {
    headers: { "user-agent": userAgent },
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_PAYLOAD_BYTES,
    perMessageDeflate: false,
    ...(guard && { lookup: guard.lookup }),
  });
  let failure: Error | null = null;
  let isOpen = false;
  const watch = watchSilence(socket, pingMs, progressed);
  const leave = () => void closeSoon(socket);
  socket.on("open", () => {
    isOpen = true;
    watch.begin();
    listener.connected();
  });
  socket.on("message", (data) => {
    const bytes = bytesOf(data);
    if (failure !== null) return;
    if (budget.take(bytes.length)) return listener.message(bytes);
    failure = new TooManyMessages();
    socket.terminate();
    listener.flooded();
  });
  socket.on("error", (error) => {
    failure = error;
  });
  signal.addEventListener("abort", leave);
  try {
    if (signal.aborted) leave();
    // Not by `once` of events, which would reject by the error before the end.
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  } finally {
    signal.removeEventListener("abort", leave);
    watch.end();
    if (isOpen) listener.lost();
  }
  if (failure !== null) throw failure;
}

/** Breaks a connection off in which a ping is not answered until the next one. */
function watchSilence(socket: WebSocket, pingMs: number, answered: () => void) {
  let isAlive = true;
  let timer: NodeJS.Timeout | undefined;
  socket.on("pong", () => {
    isAlive = true;
    answered();
  });
  return {
    begin() {
      timer = setInterval(() => {
        if (!isAlive) return socket.terminate();
        isAlive = false;
        socket.ping();
      }, pingMs);
    },
    end: () => clearInterval(timer),
  };
}

async function closeSoon(socket: WebSocket): Promise<void> {
  const closed = once(socket, "close").catch(() => undefined);
  socket.close(1000);
  await settledWithin(closed, GOODBYE_MS);
  socket.terminate();
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

/** An event that an agency sent by itself. */
export type PushedEvent = {
  /** The agency's id of it. */
  readonly id: string;
  readonly event: AgencyEvent;
};

/** What a message says; `ignored`: nothing that is followed. */
export type ReadMessage =
  | { readonly outcome: "event"; readonly pushed: PushedEvent }
  | { readonly outcome: "ignored" | "oversize" | "malformed" };

/** EMSC's have some 700 bytes. */
const MAX_BYTES = 64 * 1024;
const LONGEST_TEXT = 500;

/** Those of EMSC's service; others of a message are nobody's. */
const PROPERTIES = [
  "source_id",
  "source_catalog",
  "lastupdate",
  "time",
  "flynn_region",
  "lat",
  "lon",
  "depth",
  "evtype",
  "auth",
  "mag",
  "magtype",
  "unid",
] as const;

/**
 * Reads a message of EMSC's live feed: `{action, data}`, where `data` is a Feature with an altitude, not a depth,
 * as third coordinate. Only `create` and `update` are followed: what an agency says by itself takes nothing away.
 */
export function readMessage(bytes: Buffer): ReadMessage {
  if (bytes.length > MAX_BYTES) return { outcome: "oversize" };
  const message = parsed(bytes);
  if (!isJsonObject(message)) return { outcome: "malformed" };
  const { action, data = null } = message;
  if (action !== "create" && action !== "update") return { outcome: "ignored" };
  const pushed = isJsonObject(data) ? pushedEvent(data) : null;
  return pushed === null ? { outcome: "malformed" } : { outcome: "event", pushed };
}

function parsed(bytes: Buffer): JsonValue {
  try {
    return parseJson(bytes) as JsonValue;
  } catch (error) {
    if (error instanceof InvalidJson) return null;
    throw error;
  }
}

/** Null without an id, or without a time. */
function pushedEvent(data: JsonObject): PushedEvent | null {
  const properties = propertiesOf(data["properties"] ?? null);
  const id = properties["unid"] ?? plain(data["id"]);
  if (typeof id !== "string" || id.trim() === "") return null;
  const [longitude = null, latitude = null, altitude = null] = coordinatesOf(data["geometry"]);
  const given: JsonObject = {
    // By its type, known or not, the reader recognises EMSC's Features.
    evtype: null,
    lat: latitude,
    lon: longitude,
    depth: altitude === null ? null : 0 - altitude,
    ...properties,
    unid: id,
  };
  const row = readRow({ type: "Feature", geometry: null, properties: given });
  const event = row === null ? null : eventOfBulletin(row);
  return event === null ? null : { id, event };
}

function propertiesOf(value: JsonValue): JsonObject {
  if (!isJsonObject(value)) return {};
  const known = PROPERTIES.map((name) => [name, plain(value[name])] as const);
  return Object.fromEntries(known.filter(([, member]) => member !== null));
}

/** A number, or a text of some length; null for anything else. */
function plain(value: JsonValue | undefined): string | number | null {
  if (typeof value === "number") return value;
  return typeof value === "string" && value.length <= LONGEST_TEXT ? value : null;
}

function coordinatesOf(geometry: JsonValue | undefined): (number | null)[] {
  const list = isJsonObject(geometry) ? geometry["coordinates"] : null;
  if (!Array.isArray(list)) return [];
  return list.slice(0, 3).map((value) => (typeof value === "number" ? value : null));
}

function readRow(feature: JsonObject): JsonObject | null {
  let read: JsonObject | null = null;
  const reader = createJsonReader({
    row(row) {
      read = row;
    },
    error() {},
    warning() {},
  });
  reader.write(JSON.stringify(feature));
  for (const _ of reader.end());
  return read;
}
