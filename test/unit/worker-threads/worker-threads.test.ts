import { getPriority, platform } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { createWorkerThreads } from "#services/worker-threads.ts";

test.runIf(platform() === "linux")("a thread gives way to the one that answers", async () => {
  const entry = new URL("./own-priority.ts", import.meta.url);
  const workers = createWorkerThreads({ entry, maxThreads: 1 });
  onTestFinished(() => workers.close());
  const before = getPriority();
  expect(await workers.run(null, { name: "ownPriority" })).toBe(Math.min(before + 10, 19));
  expect(getPriority()).toBe(before);
});
