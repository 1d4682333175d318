import type { ImportTally } from "#contracts/import-run.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import { createImportProgressStore } from "#infra/jobs/import-progress.ts";
import { catalogueEventsOf } from "../catalogues/earlier-run.ts";
import { takeBackRevision } from "../catalogues/write-revision.ts";
import type { Command, CommandContext } from "../context.ts";

export type CompletedImport = {
  readonly tally: ImportTally;
  /** Null when the import changed nothing. */
  readonly version: number | null;
  readonly position: Position;
};

/**
 * The import completed by an earlier run of `command`, or null. An interrupted import ends here as
 * failed: if its run is still alive, it can no longer commit.
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
  // Read again, since from here on none of its revisions can be committed.
  const written = await catalogueEventsOf(context, command, catalogueId);
  const commit = written.find(({ event }) => event.type === "RevisionCommitted")?.event;
  const version = commit?.type === "RevisionCommitted" ? commit.data.revision : null;
  for (const { event, position } of written) {
    if (event.type === "ImportCompleted") return { tally: event.data.tally, version, position };
  }
  return null;
}
