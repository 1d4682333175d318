import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";

type Closing = () => Promise<unknown>;

/** Vitest gives a run's end 30 s. */
const PATIENCE_MS = 20_000;
const POLL_MS = 20;
const OPEN = "still open";

const closings: Closing[] = [];
/** Is there while the worker has something open, then only with what failed. */
let note: string | undefined;

/** Closes what the files of a worker share, once none of them comes any more; last opened first. */
export function atWorkersEnd(close: Closing): void {
  closings.push(close);
  if (note !== undefined) return;
  note = join(inject("workersDirectory"), String(process.pid));
  writeFileSync(note, OPEN);
}

/** Never throws: vitest no longer listens to a worker that ends after the last file. */
export async function endWorker(): Promise<void> {
  if (note === undefined) return;
  const failures: string[] = [];
  for (let close = closings.pop(); close !== undefined; close = closings.pop()) {
    await close().catch((error: unknown) => failures.push(String(error)));
  }
  if (failures.length > 0) writeFileSync(note, failures.join("\n"));
  else rmSync(note);
}

/**
 * Waits in the run's own process until all workers have closed what their files shared.
 * @throws Error with what a worker left open: the run fails
 */
export async function workersEnded(directory: string): Promise<void> {
  const notes = () => readdirSync(directory).flatMap((name) => textOf(join(directory, name)));
  const deadline = Date.now() + PATIENCE_MS;
  while (notes().includes(OPEN) && Date.now() < deadline) await delay(POLL_MS);
  const left = notes();
  if (left.length > 0) throw new Error(`workers ended with: ${left.join("\n")}`);
}

function textOf(path: string): string[] {
  try {
    return [readFileSync(path, "utf8")];
  } catch (error) {
    // Its worker has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
