/** Who asks for work, and the queue in which networks and their callers take turns. */

import { addAbortListener } from "node:events";

export type Turn = {
  /** Resolves when it is the turn; rejects when it was left before. */
  readonly ready: Promise<void>;
  readonly isWaiting: () => boolean;
  /** Releases the place, or stops waiting for it with the reason, which is made only then. */
  readonly leave: (reason?: () => unknown) => void;
};

type Who = Pick<Asker, "caller" | "network" | "isGuest">;

/** Whether a work may run when it is its turn; it runs once this was true. */
type Admit = () => boolean;

type Waiter = { readonly who: Who; readonly admit: Admit; readonly start: () => void };

export type FairQueue = ReturnType<typeof createFairQueue>;

/**
 * Limits concurrent works. Networks that wait take turns, and within each its callers, however many works each
 * has; a caller's works run in order of arrival.
 * @param onTurn called with the time waited for a turn
 */
export function createFairQueue(
  limits: QueueLimits,
  onTurn: (waitedMs: number) => void = () => undefined,
) {
  const counts = createQueueCounts(limits);
  const rounds = createRounds();

  function admitWaiting(): void {
    while (counts.of("waiting") > 0 && counts.of("running") < limits.running) {
      const next = rounds.next(({ who, admit }) => counts.mayRun(who) && admit());
      if (next === null) return;
      counts.change(next.who, "waiting", -1);
      next.start();
    }
  }

  /** @throws QueueFull */
  function enter(who: Who, admit: Admit = () => true): Turn {
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
    const enteredMs = performance.now();
    let state: "waiting" | "running" | "left" = "waiting";
    const start = (): void => {
      state = "running";
      counts.change(who, "running", 1);
      onTurn(performance.now() - enteredMs);
      resolve();
    };
    const waiter: Waiter = { who, admit, start };
    // All that wait and may run are running already, so none is overtaken.
    if (!rounds.isWaiting(who) && counts.mayRun(who) && admit()) start();
    else {
      counts.requireWaiting(who);
      counts.change(who, "waiting", 1);
      rounds.add(waiter);
    }
    const leave = (reason: () => unknown = () => undefined): void => {
      if (state === "left") return;
      counts.change(who, state, -1);
      if (state === "waiting") {
        rounds.remove(waiter);
        reject(reason());
      }
      state = "left";
      admitWaiting();
    };
    return { ready, isWaiting: () => state === "waiting", leave };
  }

  return {
    enter,
    /** Waits for the turn and runs the work in it. @throws QueueFull; the signal's reason; errors of the work */
    async run<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
      asker.signal.throwIfAborted();
      const turn = enter(asker);
      await readyUnlessLeft(turn, asker.signal);
      try {
        return await work();
      } finally {
        turn.leave();
      }
    },
    /** Call it when one may be admitted that was not before. */
    admitWaiting,
    running: () => counts.of("running"),
    waiting: () => counts.of("waiting"),
  };
}

/** Waits for the turn, which is given up when the signal aborts before. */
export async function readyUnlessLeft(turn: Turn, signal: AbortSignal): Promise<void> {
  using _giveUp = addAbortListener(signal, () => {
    if (turn.isWaiting()) turn.leave(() => signal.reason);
  });
  await turn.ready;
}

/** Who waits for work to be done: works of one take turns with those of others. */
export type Asker = {
  /** The user, or a guest's network. */
  readonly caller: string;
  /** Where the caller is: however many accounts are there, they have no more than one has. */
  readonly network: string;
  readonly isGuest: boolean;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
};

/** Who asks for work that runs to its end, also when the caller has left. */
export function staying({ caller, network, isGuest }: Asker): Asker {
  return { caller, network, isGuest, signal: new AbortController().signal };
}

/** Who asks for the process's own work, which nobody leaves. */
export const NOBODY: Asker = {
  caller: "",
  network: "",
  isGuest: false,
  signal: new AbortController().signal,
};

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

type State = "running" | "waiting";

const ACCOUNTS_OF_NETWORK = 4;
const ALL = "all";
const GUESTS = "guests";

/**
 * Counts who runs and who waits, by caller and by network, and compares them with the limits.
 *
 * Nobody takes more than he leaves: a network has no more than half of what all may have, a caller no more than
 * half of what his network may have, both rounded up. What others have by then is theirs, so that each further
 * network, and within each its next caller, finds a place while one is free.
 */
function createQueueCounts(limits: QueueLimits) {
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
  const counts = { running: new Map<string, number>(), waiting: new Map<string, number>() };
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
    mayRun: (who: Who): boolean =>
      isOfOneCaller ? free("running", who) > 0 : ofCaller("running", who) < room("running", who),
    /** @throws QueueFull */
    requireWaiting(who: Who): void {
      if (free("waiting", who) <= 0) throw new QueueFull(false);
      if (isOfOneCaller) return;
      const isFull = ofCaller("waiting", who) >= waitingOfOne || room("waiting", who) <= 0;
      if (isFull) throw new QueueFull(true);
    },
    change(who: Who, state: State, by: 1 | -1): void {
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

/** Lines of those who wait: networks take turns, and within each its callers. */
function createRounds() {
  /** By network, then by caller, each in the order of their next turns. */
  const networks = new Map<string, Map<string, Waiter[]>>();

  function linesOf(network: string): Map<string, Waiter[]> {
    const lines = networks.get(network) ?? new Map<string, Waiter[]>();
    networks.set(network, lines);
    return lines;
  }

  function forgetEmpty({ network, caller }: Who): void {
    const lines = linesOf(network);
    if (lines.get(caller)?.length === 0) lines.delete(caller);
    if (lines.size === 0) networks.delete(network);
  }

  return {
    isWaiting: ({ network, caller }: Who): boolean => networks.get(network)?.has(caller) ?? false,
    add(waiter: Waiter): void {
      const { network, caller } = waiter.who;
      const lines = linesOf(network);
      const line = lines.get(caller);
      if (line === undefined) lines.set(caller, [waiter]);
      else line.push(waiter);
    },
    remove(waiter: Waiter): void {
      const { network, caller } = waiter.who;
      const line = networks.get(network)?.get(caller);
      line?.splice(line.indexOf(waiter), 1);
      forgetEmpty(waiter.who);
    },
    /** Takes the first of the lines that may go on, whose caller and network then come last. */
    next(mayGo: (first: Waiter) => boolean): Waiter | null {
      for (const [network, lines] of networks) {
        for (const [caller, line] of lines) {
          const [first] = line;
          if (first === undefined || !mayGo(first)) continue;
          line.shift();
          toEnd(lines, caller);
          toEnd(networks, network);
          forgetEmpty(first.who);
          return first;
        }
      }
      return null;
    },
  };
}

function toEnd<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key) as V;
  map.delete(key);
  map.set(key, value);
}

export type RequestSlots = ReturnType<typeof createRequestSlots>;

/** Limits concurrent requests; the others wait in order. */
export function createRequestSlots(count: number) {
  const waiting = Number.POSITIVE_INFINITY;
  const limits = { running: count, waiting, waitingOfOne: waiting, isOfOneCaller: true };
  const queue = createFairQueue(limits);
  return {
    /** @throws the signal's reason, when it aborts before the request's turn */
    run: <T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> =>
      queue.run({ ...NOBODY, signal }, request),
  };
}
