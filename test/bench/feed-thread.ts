/**
 * Many clients of one feed, in a thread of their own. Posts "open" once all streams stand, and at each
 * message the milliseconds from each change's commit until a client had it, of all changes since the last.
 */
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

export type FeedTask = { readonly url: string; readonly clients: number };

const COMMITTED = '"lastupdate":"';
const TIME_LENGTH = "2016-11-13T11:02:56.346Z".length;

const { url, clients }: FeedTask = workerData;
const { hostname, port, pathname, search } = new URL(url);
const milliseconds: number[] = [];
let opened = 0;
for (let i = 0; i < clients; i += 1) {
  await open();
  // A few at a time, as a listener's queue has room for.
  if (i % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 1));
}
parentPort?.on("message", () => parentPort?.postMessage(milliseconds.splice(0)));
parentPort?.postMessage("open");

function open(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect(Number(port), hostname);
  let stands = false;
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
  socket.on("data", (bytes) => {
    const now = performance.timeOrigin + performance.now();
    if (!stands && bytes.includes("retry: ")) {
      stands = true;
      opened += 1;
      resolve();
    }
    const at = bytes.indexOf(COMMITTED);
    if (at < 0) return;
    const begin = at + COMMITTED.length;
    milliseconds.push(now - Date.parse(bytes.toString("latin1", begin, begin + TIME_LENGTH)));
  });
  socket.on("error", reject);
  socket.on("close", () => reject(new Error(`a stream ended, of ${opened} that stood`)));
  return promise;
}
