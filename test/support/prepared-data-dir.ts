import { inject, onTestFinished } from "vitest";
import { copyDataDir } from "./data-dir-template.ts";
import { createTemporaryDirectory } from "./temporary-directory.ts";

/** A DATA_DIR with a migrated database, for tests that are not about the first start. */
export async function createPreparedDataDir(): ReturnType<typeof createTemporaryDirectory> {
  const directory = await createTemporaryDirectory();
  await copyDataDir(inject("preparedDataDir"), directory.path);
  return directory;
}

/** One for a single test, removed when the test is finished. */
export async function preparedDataDir(): Promise<string> {
  const { path, remove } = await createPreparedDataDir();
  onTestFinished(remove);
  return path;
}
