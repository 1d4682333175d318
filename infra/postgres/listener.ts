import { createBackoff, sleep, untilAborted } from "../kernel/backoff.ts";
import type { Log } from "../kernel/log.ts";
import type { OpenSocket } from "./database-watch.ts";
import { openSession } from "./session.ts";

export type ListenerOptions = {
  readonly url: string;
  readonly applicationName: string;
  readonly channel: string;
  readonly log: Log;
  /** Opens sockets that a database watch can cut. */
  readonly openSocket?: OpenSocket | undefined;
  /** Called with each notification's payload, and when connected, since some may be missed. */
  readonly onWake: (payload: string) => void;
};

/** LISTENs on `channel` over a connection of its own, which is reopened after every loss. */
export function createListener(options: ListenerOptions) {
  const closing = new AbortController();
  const running = keepListening(options, closing.signal);
  return {
    /** Resolves when the connection is closed; never rejects. */
    close(): Promise<void> {
      closing.abort();
      return running;
    },
  };
}

async function keepListening(options: ListenerOptions, signal: AbortSignal): Promise<void> {
  const backoff = createBackoff({ capMs: 10_000 });
  while (!signal.aborted) {
    try {
      await listen(options, signal, backoff.reset);
    } catch (error) {
      options.log.warn({ err: error, channel: options.channel }, "database listener lost");
    }
    if (!signal.aborted) await sleep(backoff.next(), signal);
  }
}

/** Returns when `signal` aborts; throws when the connection fails or is lost. */
async function listen(
  { url, applicationName, channel, onWake, openSocket }: ListenerOptions,
  signal: AbortSignal,
  onListening: () => void,
): Promise<void> {
  await using session = await openSession(url, applicationName, openSocket);
  session.onNotification(({ payload = "" }) => onWake(payload));
  await session.client.query(`listen ${session.client.escapeIdentifier(channel)}`);
  onListening();
  onWake("");
  await untilAborted(AbortSignal.any([signal, session.lost]));
  if (session.lost.aborted) throw session.lost.reason;
}
