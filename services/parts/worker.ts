/** Entry point of the threads that write parts: ten million events must not block requests. */

import { openThreadSession } from "#infra/postgres/connection.ts";
import { workerTask } from "#infra/threads/task.ts";
import type { PublishedVersion } from "#projections/read/exports.ts";
import { publishParts } from "./publish.ts";

type PublishTask = { readonly directory: string; readonly latest: PublishedVersion };

/** Makes the files in a folder those of a version. */
export const publish = workerTask(async ({ directory, latest }: PublishTask) => {
  await using session = await openThreadSession("parts");
  await publishParts(session.client, directory, latest);
});
