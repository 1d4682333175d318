import { getPriority } from "node:os";
import type { MessagePort } from "node:worker_threads";
import { workerTask } from "#infra/threads/task.ts";

/** The priority of the thread that asks. */
export const ownPriority = workerTask((): number => getPriority());

export const echo = workerTask(({ text }: { text: string }): string => text);

/** Says over `begun` that it runs. */
export const loopForever = workerTask(({ begun }: { begun?: MessagePort }): void => {
  begun?.postMessage("begun");
  for (;;);
});

/** A match that would take longer than the universe has stood. */
export const matchForever = workerTask((): boolean =>
  /^(?:<!--[\s\S]*?-->|<![^>]*>)*<a/.test("<!---->".repeat(200)),
);

/** Keeps the event loop from turning, and says meanwhile that it is alive. */
export const workLong = workerTask(({ milliseconds }: { milliseconds: number }, alive): string => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) alive();
  return "done";
});

/** Waits for another, and does nothing meanwhile. */
export const waitLong = workerTask(
  ({ milliseconds }: { milliseconds: number }) =>
    new Promise<string>((resolve) => setTimeout(() => resolve("done"), milliseconds)),
);
