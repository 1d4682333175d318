import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import { createPace } from "./pace.ts";
import type { Timeouts } from "./timeouts.ts";

const SECOND = 1_000;
/** Minimum pace at which a client must send a body and read an answer while the service waits for it. */
const LEAST_BYTES_PER_SECOND = 16_000;

type Limits = Pick<Timeouts, "bodyIdleMs" | "paceMs" | "answerMs">;
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

function watchBody(body: IncomingMessage, { bodyIdleMs, paceMs }: Limits): Check {
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
  { paceMs, answerMs }: Limits,
): Check {
  const rate = leastIn(paceMs);
  let beganMs: number | null = null;
  return (atMs) => {
    if (!answer.headersSent || isEndless(answer)) return;
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
function isEndless(answer: ServerResponse): boolean {
  return String(answer.getHeader("content-type")).startsWith("text/event-stream");
}
