import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A new directory with mode 0700; `remove` deletes it with all its content. */
export async function createTemporaryDirectory(parent = tmpdir()): Promise<{
  path: string;
  remove: () => Promise<void>;
}> {
  const path = await mkdtemp(join(parent, "earthquakes-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** A directory for one test, removed when the test is finished. */
export async function temporaryDirectory(): Promise<string> {
  const { path, remove } = await createTemporaryDirectory();
  onTestFinished(remove);
  return path;
}
