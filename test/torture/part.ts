import { setTimeout as delay } from "node:timers/promises";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";

/** A process that is killed and started again. */
export type Part = {
  readonly name: string;
  readonly isRunning: () => boolean;
  /** Ends it at once, as a crash does. */
  readonly kill: () => Promise<void>;
  /** Starts it; tried again until it runs. */
  readonly start: () => Promise<void>;
};

export type ServicePart = Part & {
  /** The process that runs now, null when none does. */
  readonly process: () => ServiceProcess | null;
  /** Ends it in order. */
  readonly stop: () => Promise<void>;
  /** How often it has ended without being killed. */
  readonly ownEnds: () => number;
};

const RETRY_MS = 300;

/** A process of the service in one role. */
export function servicePart(
  name: string,
  variables: () => Readonly<Record<string, string>>,
): ServicePart {
  let process: ServiceProcess | null = null;
  let ownEnds = 0;

  const isRunning = (): boolean => process?.isRunning() ?? false;
  return {
    name,
    process: () => (isRunning() ? process : null),
    isRunning,
    ownEnds: () => ownEnds,
    kill: async () => {
      if (process !== null && !isRunning()) ownEnds += 1;
      await process?.kill();
      process = null;
    },
    start: async () => {
      if (isRunning()) return;
      // Where the database is away, a start is refused.
      while (process === null) {
        process = await startServiceProcess(variables()).catch(() => null);
        if (process === null) await delay(RETRY_MS);
      }
    },
    stop: async () => {
      await process?.stop();
      process = null;
    },
  };
}

/** A server that starts again where it was. */
export function restartable(
  name: string,
  server: { readonly kill: () => Promise<void>; readonly restart: () => Promise<void> },
): Part {
  let running = true;
  return {
    name,
    isRunning: () => running,
    kill: async () => {
      running = false;
      await server.kill();
    },
    start: async () => {
      if (!running) await server.restart();
      running = true;
    },
  };
}
