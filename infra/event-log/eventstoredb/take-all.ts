import type { StreamingRead } from "@eventstore/db-client";
import { NoAnswer } from "./failures.ts";

/**
 * What a read of the client gives, to its end. It has no deadline and would wait for ever: it is
 * given up when nothing has come for `timeoutMs`.
 * @throws NoAnswer, and the errors of the client as they come
 */
export function takeAll<E>(stream: StreamingRead<E>, timeoutMs: number): Promise<E[]> {
  const { promise, resolve, reject } = Promise.withResolvers<E[]>();
  const taken: E[] = [];
  const timer = setTimeout(() => {
    reject(new NoAnswer("a read", timeoutMs));
    void stream.cancel().catch(() => {});
  }, timeoutMs);
  stream.on("data", (item) => {
    taken.push(item);
    timer.refresh();
  });
  stream.on("end", () => resolve(taken));
  // Stays for good: the client may report an error after the end, and an unheard one is fatal.
  stream.on("error", reject);
  return promise.finally(() => clearTimeout(timer));
}
