/**
 * What clients may do with a connection: how long they take for requests and answers, upgrades
 * to WebSockets, and its end when the service stops.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import websocket, { type WebSocket } from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import { type Memory, memoryLimit, readMemory } from "#infra/process/memory.ts";
import { Overloaded } from "../errors.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** Time limits of clients, in milliseconds; they do not limit the making of an answer. */
export type Timeouts = {
  /** For all headers of a request. */
  readonly headersMs: number;
  /** Longest silence within a body. */
  readonly bodyIdleMs: number;
  /** For a whole request, body included. */
  readonly requestMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** Window within which a client must send or read the minimum number of bytes. */
  readonly paceMs: number;
  /** For a whole answer, from its first byte. */
  readonly answerMs: number;
  /** For finishing started requests when the service stops. */
  readonly stopMs: number;
  /** Interval of the checks. */
  readonly checkMs: number;
};

/**
 * 100 MB arrive in 10 minutes at 1.4 Mbit/s. Connections are kept longer than common load balancers
 * keep theirs (60 s), so that none sends a request on a connection that is being closed.
 */
export const TIMEOUTS: Timeouts = {
  headersMs: 15 * SECOND,
  bodyIdleMs: 30 * SECOND,
  requestMs: 600 * SECOND,
  keepAliveMs: 65 * SECOND,
  paceMs: 60 * SECOND,
  answerMs: 6 * HOUR,
  stopMs: 5 * SECOND,
  checkMs: 5 * SECOND,
};

/**
 * Of all headers of a request: an address may have a polygon of 500 vertices of 17 digits, 28 kB when percent-encoded,
 * and a cursor that remembers it.
 */
const MAX_HEADER_BYTES = 64 * 1024;

const SOCKETS = /\/feed\/websocket(?:\?|$)/;

function asksForSocket({ method, url = "", headers }: IncomingMessage): boolean {
  return method === "GET" && /^websocket$/i.test(headers.upgrade ?? "") && SOCKETS.test(url);
}

/** Server options that end slow requests and limit their headers. */
export function serverLimits(timeouts: Timeouts) {
  return {
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node's own refusal has no body; registerHostHeader answers instead.
      requireHostHeader: false,
      // Other upgrades, as of clients that would like HTTP/2, are answered as if not asked for.
      shouldUpgradeCallback: asksForSocket,
    },
  };
}

/** Minimum pace at which a client must send a body and read an answer while the service waits for it. */
const LEAST_BYTES_PER_SECOND = 16_000;

type PaceTimes = Pick<Timeouts, "bodyIdleMs" | "paceMs" | "answerMs">;
/** Checks a request at a given time, in milliseconds from any start. */
type Check = (atMs: number) => void;

/**
 * Ends requests and answers of clients that are too slow, to free their resources for others. Only
 * time spent waiting for a client counts: not while an answer is being made, nor while a body is not
 * being read.
 */
export function registerClientPace(app: FastifyInstance, timeouts: Timeouts): void {
  const checks = new Set<Check>();
  app.addHook("onRequest", async (request, reply) => {
    const ofBody = watchBody(request.raw, timeouts);
    const ofAnswer = watchAnswer(request, reply, timeouts);
    const check: Check = (atMs) => {
      ofBody(atMs);
      ofAnswer(atMs);
    };
    checks.add(check);
    request.scope.own(() => checks.delete(check));
  });
  // Advanced by each check: while the whole process is suspended, no client's time counts.
  let atMs = 0;
  const timer = setInterval(() => {
    atMs += timeouts.checkMs;
    for (const check of checks) check(atMs);
  }, timeouts.checkMs);
  timer.unref();
  app.addHook("onClose", async () => clearInterval(timer));
}

function leastIn(windowMs: number) {
  return createPace({ windowMs, leastBytes: (windowMs / SECOND) * LEAST_BYTES_PER_SECOND });
}

function watchBody(body: IncomingMessage, { bodyIdleMs, paceMs }: PaceTimes): Check {
  if (!hasBody(body)) return () => undefined;
  const idle = createPace({ windowMs: bodyIdleMs, leastBytes: 1 });
  const rate = leastIn(paceMs);
  let refused = false;
  return (atMs) => {
    if (refused || body.complete) return;
    if (body.readableLength > 0 || body.isPaused()) {
      idle.rest();
      rate.rest();
      return;
    }
    const { bytesRead } = body.socket;
    const isIdle = idle.isTooSlow(atMs, bytesRead);
    refused = rate.isTooSlow(atMs, bytesRead) || isIdle;
    // The reader of the body answers; without a reader the request is cut.
    if (refused && !body.emit("error", new Refusal("REQUEST_TIMEOUT"))) body.destroy();
  };
}

const READS_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

function hasBody({ method = "", headers }: IncomingMessage): boolean {
  const isSent =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
  return isSent && READS_BODY.has(method);
}

function watchAnswer(
  { raw: { socket }, log }: FastifyRequest,
  { raw: answer }: FastifyReply,
  { paceMs, answerMs }: PaceTimes,
): Check {
  const rate = leastIn(paceMs);
  let beganMs: number | null = null;
  return (atMs) => {
    if (!answer.headersSent || isEventStream(answer)) return;
    beganMs ??= atMs;
    const waiting = socket.writableLength;
    if (waiting === 0) rate.rest();
    // Written data that wait no longer are in the operating system's buffers.
    const isTooSlow = waiting > 0 && rate.isTooSlow(atMs, socket.bytesWritten - waiting);
    if (!isTooSlow && atMs - beganMs < answerMs) return;
    log.info({ waiting }, "an answer is cut: its client takes too little of it");
    // Without a reset the operating system would keep its buffer and offer it for minutes.
    socket.resetAndDestroy();
  };
}

/** An event stream lasts as long as its client listens, and sends little. */
function isEventStream(answer: ServerResponse): boolean {
  return String(answer.getHeader("content-type")).startsWith("text/event-stream");
}

export type PaceLimits = {
  readonly windowMs: number;
  /** Minimum in any window. */
  readonly leastBytes: number;
};

/** Checks whether a transfer is fast enough while it is awaited. */
export function createPace({ windowMs, leastBytes }: PaceLimits) {
  /** Starts with the last sample before the window. */
  let samples: { readonly atMs: number; readonly bytes: number }[] = [];
  return {
    /** Nothing is awaited now; the next window starts anew. */
    rest(): void {
      samples = [];
    },
    /**
     * Records progress while the transfer is awaited.
     * @param bytes total so far
     * @returns whether less than the minimum came in the last window
     */
    isTooSlow(atMs: number, bytes: number): boolean {
      samples.push({ atMs, bytes });
      const begin = samples.findLastIndex((sample) => sample.atMs <= atMs - windowMs);
      if (begin < 0) return false;
      samples = samples.slice(begin);
      return bytes - (samples[0]?.bytes ?? 0) < leastBytes;
    },
  };
}

type Exchange = { readonly request: IncomingMessage; readonly answer: ServerResponse };

/** Additional time for answers that have not started, after slow clients were cut off. */
const ANSWERS_MS = 1_000;

/**
 * Ends each connection with the answer of the request that runs when the stop begins: kept alive, it
 * would delay the stop until its client disconnects. An answer whose head was sent can no longer
 * announce this; its connection is closed after it. Node does not consider a connection idle that
 * has sent nothing yet, as clients open them in advance, so these are closed here. After `stopMs`
 * all connections that wait for their clients are cut, and a second later the others, whose answers
 * are still being made; this releases their resources.
 */
export function registerClosing(app: FastifyInstance, { stopMs }: Pick<Timeouts, "stopMs">): void {
  /** The connections, each with its current request or null. */
  const connections = new Map<Socket, Exchange | null>();
  const cutting: NodeJS.Timeout[] = [];
  let closing = false;
  const cut = (isCut: (exchange: Exchange | null) => boolean): void => {
    for (const [socket, exchange] of connections) if (isCut(exchange)) socket.destroy();
  };
  app.server.on("connection", (socket: Socket) => {
    connections.set(socket, null);
    socket.once("close", () => connections.delete(socket));
  });
  app.addHook("onRequest", async ({ raw: request }, { raw: answer }) => {
    connections.set(request.socket, { request, answer });
  });
  app.addHook("preClose", async () => {
    closing = true;
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    cutting.push(
      setTimeout(() => cut(waitsForClient), stopMs),
      setTimeout(() => cut(() => true), stopMs + ANSWERS_MS),
    );
  });
  app.addHook("onClose", async () => cutting.forEach(clearTimeout));
  app.addHook("onSend", async (_request, reply) => {
    if (closing) reply.header("connection", "close");
  });
  app.addHook("onResponse", async (request) => {
    if (closing) request.raw.socket.end();
  });
}

/** For a request, for the rest of a body, or for reading the answer. */
function waitsForClient(exchange: Exchange | null): boolean {
  if (exchange === null) return true;
  const { request, answer } = exchange;
  return !request.complete || answer.headersSent;
}

/** Clients have nothing to say; larger messages end their connection. */
const MAX_MESSAGE_BYTES = 1024;

declare module "fastify" {
  interface FastifyRequest {
    /** What is done with the request's connection once it is a WebSocket; null where it stays as it is. */
    connect: ((socket: WebSocket) => void) | null;
  }
}

/**
 * Lets routes upgrade their connections to WebSockets. Messages are not compressed, since each would wait
 * for its compressor. Whoever opens a socket closes it when the gateway stops.
 */
export async function registerSockets(app: FastifyInstance): Promise<void> {
  app.decorateRequest("connect", null);
  await app.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false },
    preClose: (done) => done(),
    errorHandler: (error, socket, request) => {
      request.log.info({ err: error }, "a WebSocket has failed");
      socket.terminate();
    },
  });
}

/** Requests are shed beyond any of these limits; each is checked once per `sampleMs`. */
export type PressureLimits = {
  /** Mean delay of the event loop in a sample, ms. */
  readonly eventLoopDelayMs: number;
  readonly heapBytes: number;
  /** Resident memory, including buffers. */
  readonly residentBytes: number;
  /** Utilisation of the event loop in a sample, 0 to 1; counts only together with the next limit. */
  readonly eventLoopUtilisation: number;
  /** A busy loop without delays serves all requests; it is overloaded only beyond this mean delay, ms. */
  readonly busyDelayMs: number;
  readonly sampleMs: number;
};

/**
 * Measured on two cores that also ran the database and the clients, while four of these created
 * catalogues of 100,000 events and eight read: samples had a mean delay of up to 51 ms, a
 * utilisation of up to 1.00 and single pauses of up to 0.5 s; nothing was shed. A sample is longer
 * than such a pause, because a sample filled by a pause counts as an endless delay. The limits of
 * heap and resident memory lie above the 90 % at which readiness already asks for no more requests.
 */
export const PRESSURE: PressureLimits = {
  eventLoopDelayMs: 500,
  heapBytes: 0.95 * getHeapStatistics().heap_size_limit,
  residentBytes: 0.95 * memoryLimit(),
  eventLoopUtilisation: 0.98,
  busyDelayMs: 150,
  sampleMs: 2_000,
};

/** What of the process its last sample shows beyond a limit, for operators; null where nothing is. */
export type Pressure = () => string | null;

/**
 * Refuses requests while the process is overloaded, so that accepted ones can finish. Probes (rate
 * class `none`: health, readiness, metrics) are always answered. Samples begin when the application is
 * ready: the work of its start is no load.
 */
export function registerPressure(app: FastifyInstance, limits: PressureLimits): Pressure {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let loop = performance.eventLoopUtilization();
  let excess: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  function sample(): void {
    // A sample without a measurement is one long delay.
    const delayMs = delays.count === 0 ? Infinity : delays.mean / 1e6 - RESOLUTION_MS;
    delays.reset();
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, loop);
    loop = now;
    excess = excessOf({ delayMs, utilization, ...readMemory() }, limits);
  }

  app.addHook("onReady", async () => {
    delays.enable();
    loop = performance.eventLoopUtilization();
    timer = setInterval(sample, limits.sampleMs).unref();
  });
  app.addHook("onClose", async () => {
    clearInterval(timer);
    delays.disable();
  });
  app.addHook("onRequest", async ({ routeOptions }) => {
    if (excess !== null && routeOptions.config.operation?.rate !== "none") throw new Overloaded();
  });
  return () => excess;
}

const RESOLUTION_MS = 10;

type Sample = Pick<Memory, "heap" | "resident"> & {
  readonly delayMs: number;
  readonly utilization: number;
};

export function excessOf(
  { delayMs, utilization, heap, resident }: Sample,
  limits: PressureLimits,
): string | null {
  const isBusy = utilization > limits.eventLoopUtilisation && delayMs > limits.busyDelayMs;
  if (delayMs > limits.eventLoopDelayMs || isBusy) return "the event loop is late";
  if (heap > limits.heapBytes) return "the heap is full";
  return resident > limits.residentBytes ? "the resident memory is at its limit" : null;
}
