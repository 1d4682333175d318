/** Wakes waiting callers, and callers that are about to wait. */
export type WakeUp = {
  wake(): void;
  /** Changes with every `wake`. Take it before looking for work, so that none is missed. */
  version(): number;
  /** Resolves after `ms`, at a wake since `version`, or when `signal` aborts. */
  wait(version: number, ms: number, signal: AbortSignal): Promise<void>;
};

export function createWakeUp(): WakeUp {
  const waiting = new Set<() => void>();
  let version = 0;
  return {
    wake() {
      version += 1;
      for (const resolve of [...waiting]) resolve();
    },
    version: () => version,
    wait(since, ms, signal) {
      if (since !== version || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        function done(): void {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener("abort", done);
          resolve();
        }
        const timer = setTimeout(done, ms);
        waiting.add(done);
        signal.addEventListener("abort", done);
      });
    },
  };
}
