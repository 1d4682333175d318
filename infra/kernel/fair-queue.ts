import { addAbortListener } from "node:events";
import type { Asker } from "./asker.ts";
import { createQueueCounts, type QueueCounts, type QueueLimits } from "./queue-counts.ts";
import { createRounds, type Rounds } from "./rounds.ts";

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

export type FairQueue = {
  /** @throws QueueFull */
  readonly enter: (who: Who, admit?: Admit) => Turn;
  /** Waits for the turn and runs the work in it. @throws QueueFull; the signal's reason; errors of the work */
  readonly run: <T>(asker: Asker, work: () => Promise<T>) => Promise<T>;
  /** Call it when one may be admitted that was not before. */
  readonly admitWaiting: () => void;
  readonly running: () => number;
  readonly waiting: () => number;
};

type Waiter = { readonly who: Who; readonly admit: Admit; readonly start: () => void };

type Parts = {
  readonly limits: QueueLimits;
  readonly onTurn: (waitedMs: number) => void;
  readonly counts: QueueCounts;
  readonly rounds: Rounds<Waiter>;
};

/**
 * Limits concurrent works. Networks that wait take turns, and within each its callers, however many works each
 * has; a caller's works run in order of arrival.
 * @param onTurn called with the time waited for a turn
 */
export function createFairQueue(
  limits: QueueLimits,
  onTurn: (waitedMs: number) => void = () => undefined,
): FairQueue {
  const counts = createQueueCounts(limits);
  const parts: Parts = { limits, onTurn, counts, rounds: createRounds() };
  return {
    enter: (who, admit = () => true) => enterQueue(parts, who, admit),
    async run(asker, work) {
      asker.signal.throwIfAborted();
      const turn = enterQueue(parts, asker, () => true);
      await readyUnlessLeft(turn, asker.signal);
      try {
        return await work();
      } finally {
        turn.leave();
      }
    },
    admitWaiting: () => admitWaiting(parts),
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

function admitWaiting({ limits, counts, rounds }: Parts): void {
  while (counts.of("waiting") > 0 && counts.of("running") < limits.running) {
    const next = rounds.next(({ who, admit }) => counts.mayRun(who) && admit());
    if (next === null) return;
    counts.change(next.who, "waiting", -1);
    next.start();
  }
}

function enterQueue(parts: Parts, who: Who, admit: Admit): Turn {
  const { counts, rounds, onTurn } = parts;
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
    rounds.add(who, waiter);
  }
  const leave = (reason: () => unknown = () => undefined): void => {
    if (state === "left") return;
    counts.change(who, state, -1);
    if (state === "waiting") {
      rounds.remove(who, waiter);
      reject(reason());
    }
    state = "left";
    admitWaiting(parts);
  };
  return { ready, isWaiting: () => state === "waiting", leave };
}
