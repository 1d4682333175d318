import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { GetTask } from "./get-thread.ts";
import type { Result } from "./report.ts";
import { p99, spreadOf } from "./statistics.ts";

const THREAD = new URL("./get-thread.ts", import.meta.url);
/** Below them the hundredth is one unlucky answer. */
const LEAST_GETS = 100;
const SMALL_GET_TARGET = 6;

/**
 * The 99th percentile of GETs of `url`, one after another, idle and then while `work` runs.
 * @param idleGets how many of them are asked before it runs
 */
export async function smallGetsWhile(
  activity: string,
  size: string,
  url: string,
  idleGets: number,
  work: () => Promise<unknown>,
): Promise<Result> {
  const asking: GetTask = { url, first: idleGets };
  const thread = new Worker(THREAD, { workerData: asking });
  const idle = await answersOf(thread);
  await work().finally(() => thread.postMessage("enough"));
  const busy = await answersOf(thread);
  if (busy.length < LEAST_GETS) throw new Error(`only ${busy.length} answers while ${activity}`);
  return {
    case: `small GET while ${activity}, p99`,
    size,
    unit: "ms",
    ours: spreadOf([p99(busy)]),
    yardstick: "idle",
    yardstickFigure: spreadOf([p99(idle)]),
    ratio: p99(busy) / p99(idle),
    target: SMALL_GET_TARGET,
  };
}

async function answersOf(thread: Worker): Promise<number[]> {
  const [milliseconds] = await once(thread, "message");
  return milliseconds;
}
