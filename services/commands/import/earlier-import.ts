import type { ImportTally } from "#contracts/import-run.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { createImportProgressStore } from "#infra/jobs/import-progress.ts";
import { catalogueEventsOf } from "../catalogues/earlier-run.ts";
import { takeBackRevision } from "../catalogues/write-revision.ts";
import type { Command, CommandContext } from "../context.ts";

export type CompletedImport = {
  readonly tally: ImportTally;
  /** Null where the import has changed nothing. */
  readonly version: number | null;
  readonly position: Position;
};

/**
 * The import that an earlier run of `command` has completed, null when there is none. One that was
 * cut off ends here as failed: should its run still live, it can then not commit.
 */
export async function earlierImport(
  context: CommandContext,
  command: Command,
  catalogueId: string,
): Promise<CompletedImport | null> {
  if (!command.retried) return null;
  const progress = createImportProgressStore(context.pool);
  for (const { event } of await catalogueEventsOf(context, command, catalogueId)) {
    if (event.type !== "RevisionOpened") continue;
    const { revision } = event.data;
    const tally = await progress.find(catalogueId, revision);
    const reason = "its run did not end";
    await takeBackRevision(context, command, catalogueId, {
      revision,
      reason,
      ...(tally && { tally }),
    });
    await progress.remove(catalogueId, revision);
  }
  // Read again: from here on none of its revisions can be committed any more.
  const written = await catalogueEventsOf(context, command, catalogueId);
  const commit = written.find(({ event }) => event.type === "RevisionCommitted")?.event;
  const version = commit?.type === "RevisionCommitted" ? commit.data.revision : null;
  for (const { event, position } of written) {
    if (event.type === "ImportCompleted") return { tally: event.data.tally, version, position };
  }
  return null;
}
