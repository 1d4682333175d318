import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { LoadFigures, LoadTask } from "./load-thread.ts";

const THREAD = new URL("./load-thread.ts", import.meta.url);

/**
 * Asks from a thread of its own over connections that are kept; every answer must be a 200 and is
 * read to its end.
 */
export async function load(task: LoadTask): Promise<LoadFigures> {
  const worker = new Worker(THREAD, { workerData: task });
  const [figures] = await once(worker, "message");
  return figures;
}

/** Answers in a second. */
export function rateOf({ latenciesMs, elapsedMs }: LoadFigures): number {
  return (1_000 * latenciesMs.length) / elapsedMs;
}
