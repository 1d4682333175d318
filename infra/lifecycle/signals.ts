import type { Logger } from "#infra/logging/logger.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** The used part of the global `process`, so that tests need no real signals. */
export type SignalSource = {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
};

const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;
const FAULTS = ["uncaughtException", "unhandledRejection"] as const;
/**
 * Within this time they are one: a terminal signals all its processes, and npm forwards its own.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * SIGTERM, SIGINT and SIGHUP stop the process in order; it exits with 0, or with 1 when a resource
 * could not be closed. Another signal a second or more later exits at once, and also ends resources
 * that would outlive the process. An uncaught error is logged, stops the process in the same order
 * and exits with 1.
 * @param nowMs a clock in milliseconds, from any start
 * @returns a function that removes the handlers
 */
export function installSignals(
  source: SignalSource,
  lifecycle: Pick<Lifecycle, "stop" | "force">,
  log: Logger,
  nowMs: () => number = () => performance.now(),
): () => void {
  let exitingSinceMs: number | null = null;

  const exitAfterStop = async (code: number): Promise<void> => {
    exitingSinceMs = nowMs();
    const clean = await lifecycle.stop();
    source.exit(clean ? code : 1);
  };

  const onSignal = (signal: unknown): void => {
    if (exitingSinceMs === null) {
      log.info({ signal }, "stopping");
      void exitAfterStop(0);
    } else if (nowMs() - exitingSinceMs >= SAME_SIGNAL_MS) {
      log.warn({ signal }, "another signal, exiting at once");
      void lifecycle.force().finally(() => source.exit(1));
    }
  };

  const onFault = (error: unknown): void => {
    log.fatal({ err: error }, "unexpected error");
    if (exitingSinceMs === null) void exitAfterStop(1);
  };

  for (const signal of SIGNALS) source.on(signal, onSignal);
  for (const fault of FAULTS) source.on(fault, onFault);
  return () => {
    for (const signal of SIGNALS) source.off(signal, onSignal);
    for (const fault of FAULTS) source.off(fault, onFault);
  };
}
