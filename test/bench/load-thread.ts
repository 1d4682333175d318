/** So many clients, each asking for one path after another. */
import { Agent, get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

export type LoadTask = {
  readonly url: string;
  /** Asked for in turn, each client beginning at another. */
  readonly paths: readonly string[];
  readonly headers: Record<string, string>;
  readonly clients: number;
  readonly requests: number;
};

/** Milliseconds of each answer, to its last byte, and of all. */
export type LoadFigures = { readonly latenciesMs: readonly number[]; readonly elapsedMs: number };

const { url, paths, headers, clients, requests }: LoadTask = workerData;
const agent = new Agent({ keepAlive: true, maxSockets: clients });

function ask(path: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  get(new URL(path, url), { agent, headers }, (response) => {
    response.resume();
    response.once("error", reject);
    response.once("end", () => {
      if (response.statusCode === 200) resolve();
      else reject(new Error(`${path} answered ${response.statusCode}`));
    });
  }).once("error", reject);
  return promise;
}

const latenciesMs: number[] = [];
let asked = 0;

async function client(first: number): Promise<void> {
  for (let i = first; asked < requests; i += 1) {
    asked += 1;
    const started = performance.now();
    await ask(paths[i % paths.length] ?? "/");
    latenciesMs.push(performance.now() - started);
  }
}

const started = performance.now();
const apart = Math.ceil(paths.length / clients);
await Promise.all(Array.from({ length: clients }, (_, i) => client(i * apart)));
const figures: LoadFigures = { latenciesMs, elapsedMs: performance.now() - started };
agent.destroy();
parentPort?.postMessage(figures);
