import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import type { Command, CommandContext } from "../context.ts";
import { eventsOfCommand } from "../decide-on-stream.ts";
import { takeBackRevision } from "./write-revision.ts";

type Commit = Extract<CatalogueEvent, { type: "RevisionCommitted" }>["data"];

/** The state of an earlier run of a command that writes a revision. */
export type EarlierRun =
  | { readonly outcome: "none" }
  /** It opened a revision that is no longer open. */
  | { readonly outcome: "cut-off" }
  | { readonly outcome: "committed"; readonly commit: Commit; readonly position: Position };

/**
 * The result of an earlier run of `command` on a catalogue. Its unfinished revision is abandoned:
 * only one run of a command may continue, and if the earlier one is still alive, it can no longer
 * commit.
 */
export async function earlierRun(
  context: CommandContext,
  command: Command,
  catalogueId: string,
): Promise<EarlierRun> {
  if (!command.retried) return { outcome: "none" };
  let cutOff = false;
  for (const { event } of await catalogueEventsOf(context, command, catalogueId)) {
    if (event.type !== "RevisionOpened") continue;
    const { revision } = event.data;
    const reason = "its run was cut off";
    await takeBackRevision(context, command, catalogueId, { revision, reason });
    cutOff = true;
  }
  // Read again, since from here on none of its revisions can be committed.
  for (const { event, position } of await catalogueEventsOf(context, command, catalogueId)) {
    if (event.type !== "RevisionCommitted") continue;
    return { outcome: "committed", commit: event.data, position };
  }
  return { outcome: cutOff ? "cut-off" : "none" };
}

/** The events that a command has written to a catalogue's stream, in order. */
export async function catalogueEventsOf(
  { log }: Pick<CommandContext, "log">,
  { id }: Command,
  catalogueId: string,
): Promise<{ event: CatalogueEvent; position: Position }[]> {
  const written = await eventsOfCommand(log, catalogueStream(catalogueId), id);
  return written.map((recorded) => ({
    event: fromRecorded(recorded) as CatalogueEvent,
    position: recorded.position,
  }));
}
