/**
 * Asks for one thing over and over, in a thread of its own: what its process does beside it, an export
 * that it reads for example, does not count. Posts the milliseconds of the first answers, and at a
 * message, which ends it, those of all answers since.
 */
import { parentPort, workerData } from "node:worker_threads";

export type GetTask = { readonly url: string; readonly first: number };

const WARM_UP = 100;

const { url, first }: GetTask = workerData;
let isEnough = false;
parentPort?.once("message", () => {
  isEnough = true;
});
const milliseconds: number[] = [];
for (let i = 1 - WARM_UP; !isEnough; i += 1) {
  const started = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`a GET answered ${response.status}`);
  if (i > 0) milliseconds.push(performance.now() - started);
  if (i === first) parentPort?.postMessage(milliseconds.splice(0));
}
parentPort?.postMessage(milliseconds);
