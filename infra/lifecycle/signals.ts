import type { Logger } from "#infra/logging/logger.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** What is used of the global `process`, so that tests need no real signals. */
export type SignalSource = {
  on(event: string, listener: (value: unknown) => void): unknown;
  off(event: string, listener: (value: unknown) => void): unknown;
  exit(code: number): void;
};

const SIGNALS = ["SIGTERM", "SIGINT"] as const;
const FAULTS = ["uncaughtException", "unhandledRejection"] as const;

/**
 * SIGTERM and SIGINT stop the process in order and exit with 0, or 1 when something could not be
 * closed; a second signal exits at once. An error that nobody has caught is logged, stops the
 * process in the same order and exits with 1.
 * @returns a function that takes the handlers off again
 */
export function installSignals(
  source: SignalSource,
  lifecycle: Pick<Lifecycle, "stop">,
  log: Logger,
): () => void {
  let exiting = false;

  const exitAfterStop = async (code: number): Promise<void> => {
    exiting = true;
    const clean = await lifecycle.stop();
    source.exit(clean ? code : 1);
  };

  const onSignal = (signal: unknown): void => {
    if (exiting) {
      log.warn({ signal }, "second signal, exiting at once");
      source.exit(1);
      return;
    }
    log.info({ signal }, "stopping");
    void exitAfterStop(0);
  };

  const onFault = (error: unknown): void => {
    log.fatal({ err: error }, "unexpected error");
    if (!exiting) void exitAfterStop(1);
  };

  for (const signal of SIGNALS) source.on(signal, onSignal);
  for (const fault of FAULTS) source.on(fault, onFault);
  return () => {
    for (const signal of SIGNALS) source.off(signal, onSignal);
    for (const fault of FAULTS) source.off(fault, onFault);
  };
}
