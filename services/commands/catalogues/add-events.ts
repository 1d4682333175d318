import type { ValidationReport } from "#contracts/http/validation-report.ts";
import type { ChunkStream } from "../changes/chunks-of-thread.ts";
import { type Changes, type ChangeTarget, totalsAfter } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { SubmissionEnd } from "../submission/submission-worker.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";

/** Given events, which can be compared with a catalogue repeatedly. */
export type Additions = {
  /**
   * Passes the changes that the events make to `use`.
   * @param target null to count the events only, as for a new catalogue
   */
  readonly against: <T>(
    target: ChangeTarget | null,
    use: (compared: ChunkStream<SubmissionEnd>) => Promise<T>,
  ) => Promise<T>;
};

export type EventsAdded = {
  readonly version: number;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
  readonly report: ValidationReport | null;
};

type AddedEvents = Pick<EventsAdded, "version" | "report"> & { readonly changes: Changes };

/**
 * Adds events to a catalogue; events that it has already, by their ids, are updated or skipped
 * (infra/decisions/0024).
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function addEventsCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  additions: Additions,
  precondition: Precondition,
): Promise<EventsAdded> {
  const plan: PlanEdit<AddedEvents> = (base, write) =>
    additions.against(base, async ({ chunks, end }) => {
      const totals = async () => totalsAfter(context, base, (await end()).changes);
      const version = await write({ chunks, totals });
      const { report, changes } = await end();
      return { version, report, changes };
    });
  const origin = { cause: "edit" } as const;
  const edited = await editCatalogue(context, command, catalogueId, precondition, origin, plan);
  if (edited.outcome === "planned") {
    const { version, report, changes } = edited.result;
    return added(version, changes, report);
  }
  return additions.against(null, async ({ end }) =>
    added(edited.version, edited, (await end()).report),
  );
}

function added(
  version: number,
  { added: newEvents, updated: updatedEvents }: Pick<Changes, "added" | "updated">,
  report: ValidationReport | null,
): EventsAdded {
  const skippedEvents = (report?.successfullyImported ?? 0) - newEvents - updatedEvents;
  return { version, newEvents, updatedEvents, skippedEvents, report };
}
