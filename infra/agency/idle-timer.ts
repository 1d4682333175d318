/** Aborts its signal unless `touch` is called within the time-out, again and again. */
export type IdleTimer = {
  /** Aborted with the reason given. */
  readonly signal: AbortSignal;
  readonly touch: () => void;
  readonly stop: () => void;
};

export function startIdleTimer(idleMs: number, reason: () => Error): IdleTimer {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(reason()), idleMs);
  return {
    signal: controller.signal,
    touch: () => {
      timer.refresh();
    },
    stop: () => clearTimeout(timer),
  };
}
