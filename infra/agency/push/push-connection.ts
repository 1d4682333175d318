import { once } from "node:events";
import { WebSocket } from "ws";
import { MINUTE_MS } from "#contracts/units.ts";
import { sleep } from "../../kernel/backoff.ts";
import { settledWithin } from "../../kernel/settled-within.ts";
import { supervise } from "../../lifecycle/supervise.ts";
import type { Logger } from "../../logging/logger.ts";
import { type AddressRules, createAddressGuard } from "../guard/address-guard.ts";

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
