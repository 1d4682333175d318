import type {
  CatalogueEvent,
  CatalogueEventData,
} from "#contracts/domain-events/catalogue-events.ts";
import { catalogueStream } from "#contracts/names.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import type { Position } from "#infra/log/event-log.ts";
import { createImportProgressStore } from "#infra/stores/import-progress.ts";
import type { Command, CommandContext } from "../context.ts";
import { eventsOfCommand } from "../decide-on-stream.ts";
import { abandonIfOpen } from "./abandon-if-open.ts";
import { loadCatalogue } from "./catalogue-decision.ts";

/** The state of an earlier run of a command that writes a revision. */
export type EarlierRun =
  | { readonly outcome: "none" }
  /** It opened a revision that is no longer open. */
  | { readonly outcome: "cut-off" }
  | {
      readonly outcome: "committed";
      readonly commit: CatalogueEventData<"RevisionCommitted">;
      readonly position: Position;
    };

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
  const written = await eventsOfEarlierRun(context, command, catalogueId, "its run was cut off");
  for (const { event, position } of written) {
    if (event.type !== "RevisionCommitted") continue;
    return { outcome: "committed", commit: event.data, position };
  }
  const hasOpened = written.some(({ event }) => event.type === "RevisionOpened");
  return { outcome: hasOpened ? "cut-off" : "none" };
}

/**
 * The events that an earlier run of `command` has written to a catalogue's stream, in order. Its
 * unfinished revision is abandoned first; an import's keeps its stored counts.
 */
export async function eventsOfEarlierRun(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  reason: string,
): Promise<{ event: CatalogueEvent; position: Position }[]> {
  const read = async () => {
    const { revision } = await loadCatalogue(context, catalogueId);
    const stream = catalogueStream(catalogueId);
    const written = await eventsOfCommand(context, stream, revision, command.id);
    return written.map((recorded) => ({
      event: fromRecorded(recorded) as CatalogueEvent,
      position: recorded.position,
    }));
  };
  const progress = createImportProgressStore(context.pool);
  for (const { event } of await read()) {
    if (event.type !== "RevisionOpened") continue;
    const { revision } = event.data;
    const tally = await progress.find(catalogueId, revision);
    const unfinished = { revision, reason, ...(tally && { tally }) };
    await abandonIfOpen(context, command, catalogueId, unfinished);
    if (tally !== null) await progress.remove(catalogueId, revision);
  }
  // Read again, since from here on none of its revisions can be committed.
  return read();
}
