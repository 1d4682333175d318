import { execFile } from "node:child_process";
import { getPriority, platform } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import { NOBODY } from "#infra/kernel/fair-queue.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
import { QUEUE, type TestThreads, useThreads } from "./use-threads.ts";

/** Looks at a thread of a second each, in which it has to beat once. */
const PATIENCE_SECONDS = 2;
const LONGER_MS = 3_300;

const threads = useThreads(PATIENCE_SECONDS);
afterEach(() => void vi.useRealTimers());

const echo = (workers: TestThreads, text: string): Promise<string> =>
  workers.run("echo", { text }, NOBODY);

/** What a task fails with, whose thread is looked at ever again without a second between. */
async function failureOf(start: () => Promise<unknown>): Promise<unknown> {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let failure: unknown = null;
  const ended = start().catch((thrown: unknown) => {
    failure = thrown;
  });
  while (failure === null) {
    vi.advanceTimersByTime(1_000);
    await Promise.race([ended, delay(20)]);
  }
  return failure;
}

test.runIf(platform() === "linux")("a thread gives way to the one that answers", async () => {
  const before = getPriority();
  expect(await threads().run("ownPriority", {}, NOBODY)).toBe(Math.min(before + 10, 19));
  expect(getPriority()).toBe(before);
});

describe("a task that makes no progress", () => {
  test("is ended with an error, also one that is alone in a loop of the engine's own", async () => {
    for (const name of ["loopForever", "matchForever"] as const) {
      const error = await failureOf(() => threads().run(name, {}, NOBODY));
      expect(error).toBeInstanceOf(TaskStuck);
      expect(String(error)).toContain(`${name} made no progress for ${PATIENCE_SECONDS} s`);
    }
  });

  test("does not touch those of other threads, and leaves its own to the next", async () => {
    const workers = threads();
    const slow = workers.run("workLong", { milliseconds: 1_000 }, NOBODY);
    const stuck = () => workers.run("loopForever", {}, NOBODY);
    const next = delay(50).then(() => echo(workers, "next"));
    expect(await failureOf(stuck)).toBeInstanceOf(TaskStuck);
    expect(await next).toBe("next");
    expect(await slow).toBe("done");
    expect(await echo(workers, "later")).toBe("later");
  });

  test("is ended where tasks share their thread, and the thread is replaced", async () => {
    const workers = threads({ queue: { ...QUEUE, running: 4 }, tasksPerThread: 4 });
    expect(await failureOf(() => workers.run("loopForever", {}, NOBODY))).toBeInstanceOf(TaskStuck);
    expect(await echo(workers, "next")).toBe("next");
  });
});

test("tasks go on that wait for longer than the watchdog has patience, or compute and say that they are alive", async () => {
  const tasks = ["waitLong", "workLong"] as const;
  const ends = tasks.map((name) => threads().run(name, { milliseconds: LONGER_MS }, NOBODY));
  expect(await Promise.all(ends)).toEqual(["done", "done"]);
});

test("a task that waits for a thread is taken up when the one before it is cancelled", async () => {
  const workers = threads({ queue: { ...QUEUE, running: 1 }, endsThread: true });
  const leaving = new AbortController();
  const first = workers.stream("loopForever", {}, { ...NOBODY, signal: leaving.signal });
  expect(await first.next()).toEqual({ done: false, value: "begun" });
  const second = echo(workers, "second");
  leaving.abort(new Error("the client has left"));
  await expect(first.next()).rejects.toThrow("the client has left");
  expect(await second).toBe("second");
});

/** Prints the address of each module that is loaded. */
const LOADED = `import { registerHooks } from "node:module";
registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });`;

test.for(["analytics/statistics-worker", "bulletins/worker", "exports/worker"])(
  "threads of services/%s load no package: each would cost every thread megabytes",
  async (name) => {
    const entry = join(import.meta.dirname, "../../../services", `${name}.ts`);
    const run = await promisify(execFile)(process.execPath, [
      "--import",
      `data:text/javascript,${encodeURIComponent(LOADED)}`,
      entry,
    ]);
    const loaded = run.stdout.trim().split("\n");
    expect(loaded).toContain(pathToFileURL(entry).href);
    expect(loaded.filter((url) => url.includes("/node_modules/"))).toEqual([]);
  },
);
