import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "#contracts/errors.ts";
import type { Timeouts } from "./timeouts.ts";

const SECOND = 1_000;
/** What a client has to send of a body, and to take of an answer, while it is waited for. */
const LEAST_BYTES_PER_SECOND = 16_000;

type Limits = Pick<Timeouts, "bodyIdleMs" | "paceMs" | "answerMs">;
/** Looks after a request at the time that is told, milliseconds from any start. */
type Look = (atMs: number) => void;

/**
 * Ends requests and answers whose clients are too slow: what they hold is wanted by others. Only the time
 * in which a client is waited for counts, neither that in which an answer is made nor that in which
 * nobody reads a body.
 */
export function registerClientPace(app: FastifyInstance, timeouts: Timeouts): void {
  const looks = new Set<Look>();
  app.addHook("onRequest", async (request, reply) => {
    const ofBody = lookAfterBody(request.raw, timeouts);
    const ofAnswer = lookAfterAnswer(request, reply, timeouts);
    const look: Look = (atMs) => {
      ofBody(atMs);
      ofAnswer(atMs);
    };
    looks.add(look);
    request.scope.own(() => looks.delete(look));
  });
  // Counted in looks: while the whole process stands still, no client is waited for.
  let atMs = 0;
  const timer = setInterval(() => {
    atMs += timeouts.checkMs;
    for (const look of looks) look(atMs);
  }, timeouts.checkMs);
  timer.unref();
  app.addHook("onClose", async () => clearInterval(timer));
}

function leastIn(windowMs: number) {
  return createPace({ windowMs, leastBytes: (windowMs / SECOND) * LEAST_BYTES_PER_SECOND });
}

function lookAfterBody(body: IncomingMessage, { bodyIdleMs, paceMs }: Limits): Look {
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
    // Whoever reads the body answers; where nobody does, nobody can.
    if (refused && !body.emit("error", new Refusal("REQUEST_TIMEOUT"))) body.destroy();
  };
}

const READS_BODY: ReadonlySet<string> = new Set(["POST", "PATCH", "DELETE"]);

function hasBody({ method = "", headers }: IncomingMessage): boolean {
  const isSent =
    headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;
  return isSent && READS_BODY.has(method);
}

function lookAfterAnswer(
  { raw: { socket }, log }: FastifyRequest,
  { raw: answer }: FastifyReply,
  { paceMs, answerMs }: Limits,
): Look {
  const rate = leastIn(paceMs);
  let beganMs: number | null = null;
  return (atMs) => {
    if (!answer.headersSent || isEndless(answer)) return;
    beganMs ??= atMs;
    const waiting = socket.writableLength;
    if (waiting === 0) rate.rest();
    // What is written and not waiting any more is the system's to send.
    const isTooSlow = waiting > 0 && rate.isTooSlow(atMs, socket.bytesWritten - waiting);
    if (!isTooSlow && atMs - beganMs < answerMs) return;
    log.info({ waiting }, "an answer is cut: its client takes too little of it");
    // Without the reset the system would keep what it has of it, and offer it for minutes.
    socket.resetAndDestroy();
  };
}

/** A stream of events goes on as long as somebody listens, and says little. */
function isEndless(answer: ServerResponse): boolean {
  return String(answer.getHeader("content-type")).startsWith("text/event-stream");
}

export type PaceLimits = {
  readonly windowMs: number;
  /** In any window. */
  readonly leastBytes: number;
};

/** Whether something goes on fast enough while it is awaited. */
export type Pace = {
  /** Nothing is awaited now: what comes after begins anew. */
  readonly rest: () => void;
  /**
   * Tells that something is awaited.
   * @param bytes that have come in all
   * @returns whether less came in the last window than has to
   */
  readonly isTooSlow: (atMs: number, bytes: number) => boolean;
};

type Sample = { readonly atMs: number; readonly bytes: number };

export function createPace({ windowMs, leastBytes }: PaceLimits): Pace {
  /** From the last one before the window on. */
  let samples: Sample[] = [];
  return {
    rest() {
      samples = [];
    },
    isTooSlow(atMs, bytes) {
      samples.push({ atMs, bytes });
      const begin = samples.findLastIndex((sample) => sample.atMs <= atMs - windowMs);
      if (begin < 0) return false;
      samples = samples.slice(begin);
      return bytes - (samples[0]?.bytes ?? 0) < leastBytes;
    },
  };
}
