import type { Asker } from "./asker.ts";

export type QueueLimits = {
  /** Of all callers together. */
  readonly running: number;
  readonly waiting: number;
  /** Of one caller, and of one network. */
  readonly runningOfOne: number;
  /** Of one caller; of one network some times as many, as its accounts share what may run. */
  readonly waitingOfOne: number;
  /** Of all guests together; without it as many as of all. */
  readonly runningOfGuests?: number;
  /** A network with some already takes no more than half of the free places, so that the next finds some. */
  readonly sharesFree?: boolean;
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

export function createQueueCounts(limits: QueueLimits): QueueCounts {
  const counts: Counts = { running: new Map(), waiting: new Map() };
  const of = (state: State, key = ALL): number => counts[state].get(key) ?? 0;
  const ofCaller = (state: State, { caller }: Who): number => of(state, `caller ${caller}`);
  const ofNetwork = (state: State, { network }: Who): number => of(state, `network ${network}`);
  return {
    mayRun(who) {
      const { running, runningOfOne, runningOfGuests = running, sharesFree = false } = limits;
      const free = running - of("running");
      const own = Math.max(ofCaller("running", who), ofNetwork("running", who));
      if (free <= 0 || own >= runningOfOne) return false;
      if (who.isGuest && of("running", GUESTS) >= runningOfGuests) return false;
      return !sharesFree || own === 0 || own + 1 <= free / 2;
    },
    requireWaiting(who) {
      const { waiting, waitingOfOne } = limits;
      if (ofCaller("waiting", who) >= waitingOfOne) throw new QueueFull(true);
      if (ofNetwork("waiting", who) >= waitingOfOne * ACCOUNTS_OF_NETWORK)
        throw new QueueFull(true);
      if (of("waiting") >= waiting) throw new QueueFull(false);
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
