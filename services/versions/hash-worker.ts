/** Entry point of the threads that hash versions: a million events must not block other requests. */
import { openWatchedSession } from "#infra/postgres/connection.ts";
import { workerTask } from "#infra/threads/task.ts";
import type { VersionRows } from "#projections/read/versions.ts";
import { hashVersionRows } from "./hash-version.ts";

export type HashTask = { readonly databaseUrl: string; readonly version: VersionRows };

export const hashVersion = workerTask(async ({ databaseUrl, version }: HashTask) => {
  await using session = await openWatchedSession(databaseUrl, "hash");
  const { client } = session;
  return await hashVersionRows(client, version);
});
