import type { Asker } from "./asker.ts";

export type QueueLimits = {
  /** Of all callers together. */
  readonly running: number;
  /** Of all callers together; guests have half of them. */
  readonly waiting: number;
  /** Of one caller; of one network some times as many, as its accounts share what may run. */
  readonly waitingOfOne: number;
  /** Of one network, where that is less than half of all. */
  readonly runningOfNetwork?: number;
  /** Of all guests together; without it as many as of all. */
  readonly runningOfGuests?: number;
  /** For the process's own work, of which none has to be left to others. */
  readonly isOfOneCaller?: boolean;
};

/** The queue is full: for this caller, or for all. */
export class QueueFull extends Error {
  override readonly name = "QueueFull";
  readonly isOfOne: boolean;

  constructor(isOfOne: boolean) {
    super("too many wait already");
    this.isOfOne = isOfOne;
  }
}

type Who = Pick<Asker, "caller" | "network" | "isGuest">;
type State = "running" | "waiting";
type Counts = Readonly<Record<State, Map<string, number>>>;

/** Counts who runs and who waits, by caller and by network, and compares them with the limits. */
export type QueueCounts = {
  readonly mayRun: (who: Who) => boolean;
  /** @throws QueueFull */
  readonly requireWaiting: (who: Who) => void;
  readonly change: (who: Who, state: State, by: 1 | -1) => void;
  readonly of: (state: State) => number;
};

const ACCOUNTS_OF_NETWORK = 4;
const ALL = "all";
const GUESTS = "guests";

/**
 * Nobody takes more than he leaves: a network has no more than half of what all may have, a caller no more than
 * half of what his network may have, both rounded up. What others have by then is theirs, so that each further
 * network, and within each its next caller, finds a place while one is free.
 */
export function createQueueCounts(limits: QueueLimits): QueueCounts {
  const { running, waiting, waitingOfOne, isOfOneCaller = false } = limits;
  const { runningOfNetwork = running, runningOfGuests = running } = limits;
  const most = {
    running: { inAll: running, ofNetwork: runningOfNetwork, ofGuests: runningOfGuests },
    waiting: {
      inAll: waiting,
      ofNetwork: waitingOfOne * ACCOUNTS_OF_NETWORK,
      ofGuests: Math.ceil(waiting / 2),
    },
  };
  const counts: Counts = { running: new Map(), waiting: new Map() };
  const of = (state: State, key = ALL): number => counts[state].get(key) ?? 0;
  const ofCaller = (state: State, { caller }: Who): number => of(state, `caller ${caller}`);

  function free(state: State, { isGuest }: Who): number {
    const { inAll, ofGuests } = most[state];
    const ofAll = inAll - of(state);
    return isGuest ? Math.min(ofAll, ofGuests - of(state, GUESTS)) : ofAll;
  }

  /** How many more the network may have, each with as many left free as the network then has, less one. */
  function room(state: State, who: Who): number {
    const own = of(state, `network ${who.network}`);
    const half = Math.floor((free(state, who) + 1 - own) / 2);
    return Math.min(most[state].ofNetwork - own, half);
  }

  return {
    mayRun: (who) =>
      isOfOneCaller ? free("running", who) > 0 : ofCaller("running", who) < room("running", who),
    requireWaiting(who) {
      if (free("waiting", who) <= 0) throw new QueueFull(false);
      if (isOfOneCaller) return;
      const isFull = ofCaller("waiting", who) >= waitingOfOne || room("waiting", who) <= 0;
      if (isFull) throw new QueueFull(true);
    },
    change(who, state, by) {
      const { caller, network, isGuest } = who;
      const keys = [ALL, `caller ${caller}`, `network ${network}`];
      for (const key of isGuest ? [...keys, GUESTS] : keys) {
        const count = of(state, key) + by;
        if (count === 0) counts[state].delete(key);
        else counts[state].set(key, count);
      }
    },
    of,
  };
}
