/** Limits concurrent requests; the others wait in order. */
export type RequestSlots = {
  /** @throws the signal's reason, when it aborts before the request's turn */
  readonly run: <T>(request: () => Promise<T>, signal: AbortSignal) => Promise<T>;
};

export function createRequestSlots(count: number): RequestSlots {
  let free = count;
  const waiting: (() => void)[] = [];

  async function take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const enter = () => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = () => {
      waiting.splice(waiting.indexOf(enter), 1);
      reject(signal.reason);
    };
    waiting.push(enter);
    signal.addEventListener("abort", leave, { once: true });
    await promise;
  }

  function give(): void {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  }

  return {
    async run(request, signal) {
      await take(signal);
      try {
        return await request();
      } finally {
        give();
      }
    },
  };
}
