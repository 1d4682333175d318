import type { CatalogueEvent } from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import type { Position } from "#infra/event-log/event-log.ts";
import type { Command, CommandContext } from "../context.ts";
import { eventsOfCommand } from "../events-of-command.ts";
import { takeBackRevision } from "./write-revision.ts";

type Commit = Extract<CatalogueEvent, { type: "RevisionCommitted" }>["data"];

/** How far an earlier run of a command that writes a revision has come. */
export type EarlierRun =
  | { readonly outcome: "none" }
  /** It had opened a revision, which is not open any more. */
  | { readonly outcome: "cut-off" }
  | { readonly outcome: "committed"; readonly commit: Commit; readonly position: Position };

/**
 * What an earlier run of `command` has left on a catalogue. A revision that it had not finished is
 * abandoned: only one run of a command goes on, and should the earlier one still live it can then
 * not commit.
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
  // Read again: from here on none of its revisions can be committed any more.
  for (const { event, position } of await catalogueEventsOf(context, command, catalogueId)) {
    if (event.type !== "RevisionCommitted") continue;
    return { outcome: "committed", commit: event.data, position };
  }
  return { outcome: cutOff ? "cut-off" : "none" };
}

/** What a command has written to the stream of a catalogue, in order. */
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
