import type { ValidationReport } from "#contracts/http/validation-report.ts";
import type { ChunkStream } from "../changes/chunks-of-thread.ts";
import { type CatalogueTarget, type Changes, totalsAfter } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { RowsJoined } from "../joins/join-rows.ts";
import type { SubmissionEnd } from "../submission/submission-worker.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { editCatalogue, latestTarget, type PlanEdit } from "./edit-catalogue.ts";

/** Given events, or rows about events that are there; they can be compared with a catalogue repeatedly. */
export type Additions = {
  /** Passes the changes that they make to `use`. */
  readonly against: <T>(
    target: CatalogueTarget,
    use: (compared: ChunkStream<SubmissionEnd>) => Promise<T>,
  ) => Promise<T>;
};

export type EventsAdded = {
  readonly version: number;
  readonly newEvents: number;
  readonly updatedEvents: number;
  readonly skippedEvents: number;
  readonly report: ValidationReport | null;
} & Partial<Pick<RowsJoined, "warnings" | "unmatched" | "unmatchedCount">>;

type AddedEvents = SubmissionEnd & Pick<EventsAdded, "version">;

/**
 * Adds events to a catalogue; events that it has already, by their ids, are updated or skipped
 * (infra/decisions/0024). Rows that are joined add to events that are there.
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
      return { version, ...(await end()) };
    });
  const origin = { cause: "edit" } as const;
  const edited = await editCatalogue(context, command, catalogueId, precondition, origin, plan);
  if (edited.outcome === "planned") return added(edited.result.changes, edited.result);
  const { version } = edited;
  return additions.against(await latestTarget(context, catalogueId), async ({ end }) =>
    added(edited, { ...(await end()), version }),
  );
}

function added(
  { added: newEvents, updated: updatedEvents }: Pick<Changes, "added" | "updated">,
  { version, report, joined }: Omit<AddedEvents, "changes">,
): EventsAdded {
  const events = joined?.events ?? report?.successfullyImported ?? 0;
  const skippedEvents = events - newEvents - updatedEvents;
  const result = { version, newEvents, updatedEvents, skippedEvents, report };
  if (joined === undefined) return result;
  const { warnings, unmatched, unmatchedCount } = joined;
  return { ...result, ...(warnings.length > 0 && { warnings }), unmatched, unmatchedCount };
}
