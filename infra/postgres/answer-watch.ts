import { addAbortListener } from "node:events";
import { Socket } from "node:net";
import { sleep } from "../kernel/backoff.ts";
import type { Log } from "../kernel/log.ts";
import { connectionUrl } from "./connection-url.ts";
import { NoPrimary, PrimaryClient } from "./primary-client.ts";

const ASK_EVERY_MS = 1_000;
/** 4 s, so that a request is answered well within 10 s, including the second between two probes. */
const PATIENCE_TICKS = 8;
/** After this many more ticks the probe uses a new connection, since the old one may never answer. */
const ATTEMPT_TICKS = 10;

/** Tells whether the database answers: probes it once a second on a connection of its own, until `signal` aborts. */
export function watchAnswers(url: string, log: Log, signal: AbortSignal) {
  /** Ticks since the current probe was sent, and its socket; null between probes. */
  let waited = 0;
  let asking: Socket | null = null;

  const isSilent = (): boolean => waited >= PATIENCE_TICKS;

  async function ask(socket: Socket, question: () => Promise<unknown>): Promise<void> {
    asking = socket;
    try {
      await question();
      answered();
    } catch (error) {
      // A refusal counts as an answer; the end of an abandoned probe, and standbys alone, do not.
      const isAnswer = !(error instanceof NoPrimary) && (!socket.destroyed || !isSilent());
      if (isAnswer) answered();
      throw error;
    } finally {
      asking = null;
    }
  }

  function answered(): void {
    if (isSilent()) log.info({}, "the database answers again");
    waited = 0;
  }

  void keepConversing(url, signal, ask);
  return {
    isSilent,
    /** To be called twice a second. @returns whether the database has fallen silent by this tick */
    tick(): boolean {
      if (asking === null) return false;
      waited += 1;
      if (waited > PATIENCE_TICKS && (waited - PATIENCE_TICKS) % ATTEMPT_TICKS === 0) {
        asking.destroy();
      }
      return waited === PATIENCE_TICKS;
    },
  };
}

type Ask = (socket: Socket, question: () => Promise<unknown>) => Promise<void>;

async function keepConversing(url: string, signal: AbortSignal, ask: Ask): Promise<void> {
  while (!signal.aborted) {
    await converse(url, signal, ask);
    await sleep(ASK_EVERY_MS, signal);
  }
}

/** Asks over one connection until it ends. */
async function converse(url: string, signal: AbortSignal, ask: Ask): Promise<void> {
  const socket = new Socket();
  const connectionString = connectionUrl(url, "watch");
  const client = new PrimaryClient({ connectionString, stream: () => socket });
  client.on("error", () => undefined);
  using _leave = addAbortListener(signal, () => socket.destroy());
  try {
    await ask(socket, () => client.connect());
    while (!signal.aborted) {
      await sleep(ASK_EVERY_MS, signal);
      await ask(socket, () => client.query("select 1"));
    }
  } catch {
    // Errors are ignored: connections in use report their own.
  } finally {
    socket.destroy();
  }
}
