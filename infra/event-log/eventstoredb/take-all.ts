import type { StreamingRead } from "@eventstore/db-client";
import { NoAnswer } from "./failures.ts";

/**
 * All items of a client read. Such a read has no deadline and could hang for ever, so it is
 * abandoned after a silence of `timeoutMs`.
 * @throws NoAnswer, and the client's errors unchanged
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
  // Never removed: the client may emit an error after the end, and an unhandled one ends the
  // process.
  stream.on("error", reject);
  return promise.finally(() => clearTimeout(timer));
}
