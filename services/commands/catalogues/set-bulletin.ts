import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import type { ChunkStream } from "../changes/chunks-of-thread.ts";
import { type ChangeTarget, totalsAfter } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import type { SubmissionEnd } from "../submission/submission-worker.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { changeOf, eventAt, eventOf } from "./change-event.ts";
import { editCatalogue, type PlanEdit } from "./edit-catalogue.ts";

const EDIT = { cause: "edit" } as const;

/** A submitted bulletin, which can be compared with an event repeatedly. */
export type Replacement = {
  /** Passes the change that it makes of an event to `use`. */
  readonly against: <T>(
    target: ChangeTarget,
    use: (compared: ChunkStream<SubmissionEnd>) => Promise<T>,
  ) => Promise<T>;
};

type Changed = { readonly event: SeismicEvent; readonly version: number };

/**
 * Gives an event a bulletin in the place of what it had, and makes its row the view of that. An equal
 * one makes no version.
 * @returns the event after the change, and the version that shows it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED, VALIDATION_ERROR
 */
export async function setBulletinCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  replacement: Replacement,
  precondition: Precondition,
): Promise<Changed> {
  const plan: PlanEdit<number> = async (base, write) => {
    await eventOf(context, base, eventId);
    return replacement.against(base, async ({ chunks, end }) => {
      const totals = async () => totalsAfter(context, base, (await end()).changes);
      const version = await write({ chunks, totals });
      requireValid((await end()).report);
      return version;
    });
  };
  const edited = await editCatalogue(context, command, catalogueId, precondition, EDIT, plan);
  const version = edited.outcome === "planned" ? edited.result : edited.version;
  return { event: await eventAt(context, catalogueId, version, eventId), version };
}

/**
 * Removes an event's bulletin; its row stays. Without one there is no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function removeBulletinCommand(
  context: CommandContext,
  command: Command,
  catalogueId: string,
  eventId: string,
  precondition: Precondition,
): Promise<Changed> {
  const plan: PlanEdit<number> = async (base, write) => {
    const { event, bulletin } = await eventOf(context, base, eventId);
    if (bulletin === null) return base.version;
    const { id, ...before } = event;
    return write(changeOf(context, base, { id, before, after: before }));
  };
  const edited = await editCatalogue(context, command, catalogueId, precondition, EDIT, plan);
  const version = edited.outcome === "planned" ? edited.result : edited.version;
  return { event: await eventAt(context, catalogueId, version, eventId), version };
}

/** @throws Refusal VALIDATION_ERROR with what is wrong */
function requireValid(report: SubmissionEnd["report"]): void {
  const [invalid] = report?.invalidEvents ?? [];
  if (invalid === undefined) return;
  throw new Refusal("VALIDATION_ERROR", invalid.reason, { details: invalid.errors });
}
