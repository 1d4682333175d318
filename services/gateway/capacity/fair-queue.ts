export type QueueLimits = {
  /** Of all callers together. */
  readonly running: number;
  readonly waiting: number;
  readonly runningOfOne: number;
  readonly waitingOfOne: number;
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

export type Turn = {
  /** Resolves when it is the turn; rejects when it was left before. */
  readonly ready: Promise<void>;
  /** Releases the place, or stops waiting for it with the reason, which is made only then. */
  readonly leave: (reason: () => unknown) => void;
};

export type FairQueue<Item> = {
  /** @throws QueueFull */
  readonly enter: (caller: string, item: Item) => Turn;
  /** Call it when an item may be admitted that was refused before. */
  readonly admitWaiting: () => void;
  readonly running: () => number;
  readonly waiting: () => number;
};

export type FairQueueOptions<Item> = {
  readonly limits: QueueLimits;
  /** Whether an item may run when it is its turn. */
  readonly admit: (item: Item) => boolean;
  /** Called with the time waited for a turn. */
  readonly onTurn?: (waitedMs: number) => void;
};

type Waiter<Item> = { readonly item: Item; readonly start: () => void };
type Line<Item> = { readonly waiters: Waiter<Item>[]; running: number };

/**
 * Limits concurrent items. Waiting callers take turns, however many items each has; a caller's items
 * run in order of arrival.
 */
export function createFairQueue<Item>({
  limits,
  admit,
  onTurn = () => undefined,
}: FairQueueOptions<Item>): FairQueue<Item> {
  /** Callers in the order of their next turns. */
  const lines = new Map<string, Line<Item>>();
  let running = 0;
  let waiting = 0;

  function admitWaiting(): void {
    while (waiting > 0 && running < limits.running && startNext()) {}
  }

  function startNext(): boolean {
    for (const [caller, line] of lines) {
      const [first] = line.waiters;
      if (!first || line.running >= limits.runningOfOne || !admit(first.item)) continue;
      line.waiters.shift();
      waiting -= 1;
      // Moves the caller to the end.
      lines.delete(caller);
      lines.set(caller, line);
      first.start();
      return true;
    }
    return false;
  }

  function forget(caller: string, { waiters, running: own }: Line<Item>): void {
    if (waiters.length === 0 && own === 0) lines.delete(caller);
  }

  function mayRun({ waiters, running: own }: Line<Item>, item: Item): boolean {
    const isNext = waiters.length === 0 && running < limits.running && own < limits.runningOfOne;
    return isNext && admit(item);
  }

  return {
    enter(caller, item) {
      const line: Line<Item> = lines.get(caller) ?? { waiters: [], running: 0 };
      const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
      const enteredMs = performance.now();
      let state: "waiting" | "running" | "left" = "waiting";
      const start = (): void => {
        state = "running";
        running += 1;
        line.running += 1;
        onTurn(performance.now() - enteredMs);
        resolve();
      };
      const waiter: Waiter<Item> = { item, start };
      // All waiting items that may run are running already, so none is overtaken.
      if (mayRun(line, item)) start();
      else if (line.waiters.length >= limits.waitingOfOne) throw new QueueFull(true);
      else if (waiting >= limits.waiting) throw new QueueFull(false);
      else {
        line.waiters.push(waiter);
        waiting += 1;
      }
      lines.set(caller, line);
      const leave = (reason: () => unknown): void => {
        if (state === "left") return;
        if (state === "running") {
          running -= 1;
          line.running -= 1;
        } else {
          line.waiters.splice(line.waiters.indexOf(waiter), 1);
          waiting -= 1;
          reject(reason());
        }
        state = "left";
        forget(caller, line);
        admitWaiting();
      };
      return { ready, leave };
    },
    admitWaiting,
    running: () => running,
    waiting: () => waiting,
  };
}
