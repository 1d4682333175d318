import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { Logger } from "#infra/logging/logger.ts";

export type Heartbeat = { readonly close: () => void };

const BEAT_MS = 5_000;

/**
 * Touches `path` every 5 s, to show that a process without a listener is alive, for example to a
 * container's health check. A failure is logged once.
 */
export function startHeartbeat(path: string, logger: Logger): Heartbeat {
  let complained = false;
  const beat = (): void => {
    touch(path).catch((error: unknown) => {
      if (!complained) logger.warn({ err: error }, "the heartbeat cannot be written");
      complained = true;
    });
  };
  beat();
  const timer = setInterval(beat, BEAT_MS).unref();
  return { close: () => clearInterval(timer) };
}

async function touch(path: string): Promise<void> {
  const now = new Date();
  try {
    await utimes(path, now, now);
  } catch {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "");
  }
}
