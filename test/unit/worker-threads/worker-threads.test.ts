import { getPriority, platform } from "node:os";
import { describe, expect, test } from "vitest";
import { NOBODY } from "#infra/kernel/asker.ts";
import { TaskStuck } from "#infra/threads/worker-threads.ts";
import { QUEUE, type TestThreads, useThreads } from "./use-threads.ts";

const PATIENCE_SECONDS = 3;
const LONGER_MS = 5_000;

const threads = useThreads(PATIENCE_SECONDS);

const echo = (workers: TestThreads, text: string): Promise<string> =>
  workers.run("echo", { text }, NOBODY);

test.runIf(platform() === "linux")("a thread gives way to the one that answers", async () => {
  const before = getPriority();
  expect(await threads().run("ownPriority", {}, NOBODY)).toBe(Math.min(before + 10, 19));
  expect(getPriority()).toBe(before);
});

describe.concurrent("a task that makes no progress", () => {
  test.each(["loopForever", "matchForever"] as const)(
    "a task that makes no progress is ended with an error: %s",
    async (name) => {
      const error = await threads()
        .run(name, {}, NOBODY)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TaskStuck);
      expect(String(error)).toContain(`${name} made no progress for ${PATIENCE_SECONDS} s`);
    },
  );

  test("a task that makes no progress does not touch those of other threads, and leaves its own to the next", async () => {
    const workers = threads();
    const stuck = workers.run("loopForever", {}, NOBODY);
    const slow = workers.run("waitLong", { milliseconds: LONGER_MS }, NOBODY);
    const next = echo(workers, "next");
    await expect(stuck).rejects.toThrow(TaskStuck);
    expect(await next).toBe("next");
    expect(await slow).toBe("done");
    expect(await echo(workers, "later")).toBe("later");
  });

  test("a task that makes no progress is ended where tasks share their thread, and the thread is replaced", async () => {
    const workers = threads({ queue: { ...QUEUE, running: 4 }, tasksPerThread: 4 });
    await expect(workers.run("loopForever", {}, NOBODY)).rejects.toThrow(TaskStuck);
    expect(await echo(workers, "next")).toBe("next");
  });
});

describe.concurrent("a task goes on", () => {
  test("a task goes on that waits for longer than the watchdog has patience", async () => {
    expect(await threads().run("waitLong", { milliseconds: LONGER_MS }, NOBODY)).toBe("done");
  });

  test("a task goes on that computes for longer, and says that it is alive", async () => {
    expect(await threads().run("workLong", { milliseconds: LONGER_MS }, NOBODY)).toBe("done");
  });
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
