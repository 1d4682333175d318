import { once } from "node:events";
import { getPriority, platform } from "node:os";
import { MessageChannel } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import {
  createWorkerThreads,
  TaskStuck,
  type WorkerThreads,
  type WorkerThreadsOptions,
} from "#infra/threads/pool.ts";

const PATIENCE_SECONDS = 3;
const LONGER_MS = 5_000;

const opened: WorkerThreads[] = [];
afterAll(() => Promise.all(opened.map((workers) => workers.close())));

function threads(options: Partial<WorkerThreadsOptions> = {}): WorkerThreads {
  const workers = createWorkerThreads({
    entry: new URL("./tasks.ts", import.meta.url),
    maxThreads: 2,
    stuckAfterSeconds: PATIENCE_SECONDS,
    ...options,
  });
  opened.push(workers);
  return workers;
}

const echo = (workers: WorkerThreads, text: string): Promise<string> =>
  workers.run({ text }, { name: "echo" });

test.runIf(platform() === "linux")("a thread gives way to the one that answers", async () => {
  const before = getPriority();
  expect(await threads().run({}, { name: "ownPriority" })).toBe(Math.min(before + 10, 19));
  expect(getPriority()).toBe(before);
});

describe.concurrent("a task that makes no progress", () => {
  test.each(["loopForever", "matchForever"])("is ended with an error: %s", async (name) => {
    const error = await threads()
      .run({}, { name })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskStuck);
    expect(String(error)).toContain(`${name} made no progress for ${PATIENCE_SECONDS} s`);
  });

  test("does not touch those of other threads, and leaves its own to the next", async () => {
    const workers = threads();
    const stuck = workers.run({}, { name: "loopForever" });
    const slow = workers.run({ milliseconds: LONGER_MS }, { name: "waitLong" });
    const next = echo(workers, "next");
    await expect(stuck).rejects.toThrow(TaskStuck);
    expect(await next).toBe("next");
    expect(await slow).toBe("done");
    expect(await echo(workers, "later")).toBe("later");
  });

  test("is ended where tasks share their thread, and the thread is replaced", async () => {
    const workers = threads({ maxThreads: 1, concurrentTasksPerWorker: 4 });
    await expect(workers.run({}, { name: "loopForever" })).rejects.toThrow(TaskStuck);
    expect(await echo(workers, "next")).toBe("next");
  });
});

describe.concurrent("a task goes on", () => {
  test("that waits for longer than the watchdog has patience", async () => {
    expect(await threads().run({ milliseconds: LONGER_MS }, { name: "waitLong" })).toBe("done");
  });

  test("that computes for longer, and says that it is alive", async () => {
    expect(await threads().run({ milliseconds: LONGER_MS }, { name: "workLong" })).toBe("done");
  });
});

test("a task that waits for a thread is taken up when the one before it is cancelled", async () => {
  const workers = threads({ maxThreads: 1 });
  const leaving = new AbortController();
  const { port1, port2 } = new MessageChannel();
  const first = workers.run(
    { begun: port2 },
    { name: "loopForever", transferList: [port2], signal: leaving.signal },
  );
  const second = echo(workers, "second");
  await once(port1, "message");
  leaving.abort(new Error("the client has left"));
  await expect(first).rejects.toThrow();
  expect(await second).toBe("second");
  port1.close();
});
