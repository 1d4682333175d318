/** So many clients, each asking for what is next. */
import { Agent, get } from "node:http";
import { setTimeout } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

export type LoadTask = {
  readonly url: string;
  /** Asked for in turn by all clients together. */
  readonly paths: readonly string[];
  readonly headers: Record<string, string>;
  readonly clients: number;
  readonly requests: number;
};

/** Milliseconds of each answer, to its last byte, and of all. */
export type LoadFigures = { readonly latenciesMs: readonly number[]; readonly elapsedMs: number };

const { url, paths, headers, clients, requests }: LoadTask = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: clients });

/** Of a caller who has as many answers running as he may, the last of which has only just come. */
const TOO_MANY = 429;
const AGAIN_MS = 5;

/** @returns the status: 200, or `TOO_MANY` */
function ask(path: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(new URL(path, url), { agent, headers }, (response) => {
    response.resume();
    response.once("error", reject);
    response.once("end", () => {
      const { statusCode = 0 } = response;
      if (statusCode === 200 || statusCode === TOO_MANY) resolve(statusCode);
      else reject(new Error(`${path} answered ${statusCode}`));
    });
  }).once("error", reject);
  return promise;
}

const latenciesMs: number[] = [];
let asked = 0;

async function client(): Promise<void> {
  while (asked < requests) {
    const path = paths[asked % paths.length] ?? "/";
    asked += 1;
    const started = performance.now();
    while ((await ask(path)) === TOO_MANY) await setTimeout(AGAIN_MS);
    latenciesMs.push(performance.now() - started);
  }
}

const started = performance.now();
await Promise.all(Array.from({ length: clients }, client));
const figures: LoadFigures = { latenciesMs, elapsedMs: performance.now() - started };
agent.destroy();
parentPort?.postMessage(figures);
