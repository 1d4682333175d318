import type { Asker } from "#infra/kernel/fair-queue.ts";
import { Overloaded } from "./retry-later.ts";

/** Whose a stream is. */
export type StreamHolder = Pick<Asker, "caller" | "network">;

export type StreamPlace = {
  /** To be called when its client has taken something new. */
  readonly touch: () => void;
  readonly leave: () => void;
};

/** The places of all endless answers of a process. */
export type StreamPlaces = {
  /**
   * @param giveUp ends the stream, whose place somebody else has
   * @throws Overloaded when no place is free and none is given up
   */
  readonly take: (holder: StreamHolder, giveUp: () => void) => StreamPlace;
  readonly size: () => number;
};

export type StreamPlacesOptions = {
  readonly limit: number;
  /** A clock in milliseconds, from any start. */
  readonly now?: () => number;
};

/** How long a stream is silent before its own holder may lose it to his next one. */
const IDLE_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;

type HeldStream = { touchedAt: number; readonly giveUp: () => void; readonly leave: () => void };
type Holders = Map<string, Set<HeldStream>>;

/**
 * Shares the places between networks and accounts. One alone may have all; once all are taken, the network or
 * account with the most gives up the stream that was silent longest, so that nobody keeps the others out by
 * opening many. Who has his share already gives up one of his own, and only one that is idle.
 */
export function createStreamPlaces({
  limit,
  now = () => performance.now(),
}: StreamPlacesOptions): StreamPlaces {
  /** The streams of each network and account, the longest silent first. */
  const holders: Holders = new Map();
  let size = 0;

  function makeRoom(names: readonly string[]): void {
    const own = largest(holders, names);
    const most = largest(holders, holders.keys());
    const hasShare = most.size <= own.size + 1;
    const [silent] = hasShare && own.size > 0 ? own : most;
    if (silent === undefined || (hasShare && now() - silent.touchedAt < IDLE_MS)) {
      throw new Overloaded("Too many streams are open; try again", RETRY_AFTER_SECONDS);
    }
    silent.leave();
    silent.giveUp();
  }

  return {
    take({ caller, network }, giveUp) {
      const names = [...new Set([caller, `network ${network}`])];
      if (size >= limit) makeRoom(names);
      let isOver = false;
      const stream: HeldStream = {
        touchedAt: now(),
        giveUp,
        leave() {
          if (isOver) return;
          isOver = true;
          size -= 1;
          for (const name of names) remove(holders, name, stream);
        },
      };
      size += 1;
      for (const name of names) putLast(holders, name, stream);
      return {
        touch() {
          if (isOver) return;
          stream.touchedAt = now();
          for (const name of names) putLast(holders, name, stream);
        },
        leave: stream.leave,
      };
    },
    size: () => size,
  };
}

function largest(holders: Holders, names: Iterable<string>): Set<HeldStream> {
  let most = new Set<HeldStream>();
  for (const name of names) {
    const streams = holders.get(name);
    if (streams && streams.size > most.size) most = streams;
  }
  return most;
}

function putLast(holders: Holders, name: string, stream: HeldStream): void {
  const streams = holders.get(name) ?? new Set();
  streams.delete(stream);
  holders.set(name, streams.add(stream));
}

function remove(holders: Holders, name: string, stream: HeldStream): void {
  const streams = holders.get(name);
  streams?.delete(stream);
  if (streams?.size === 0) holders.delete(name);
}
