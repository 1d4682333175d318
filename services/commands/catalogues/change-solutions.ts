import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { commentId } from "#contracts/bulletin/own-members.ts";
import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  type DeletedSolution,
  deletedBetween,
  type SolutionKind,
} from "#services/domain/bulletin/deleted-solution.ts";
import type { PreferredChange } from "#services/domain/bulletin/preferred-solutions.ts";
import { changeStored } from "../bulletins/change-stored.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import {
  type BulletinPlace,
  bulletinsAround,
  changeBulletin,
  type PlanChange,
} from "./change-bulletin.ts";
import { eventAt } from "./change-event.ts";

/**
 * Prefers other solutions of an event; its row follows.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also for an id that is not there
 */
export async function preferSolutionsCommand(
  context: CommandContext,
  command: Command,
  place: BulletinPlace,
  preferred: PreferredChange,
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ event: SeismicEvent; version: number }> {
  const plan: PlanChange = () => ({ kind: "prefer", preferred });
  const made = await changeBulletin(context, command, place, precondition, plan, makeChange);
  const { version } = made;
  if (!("isMadeBefore" in made)) return { event: made.event, version };
  return { event: await eventAt(context, place.catalogueId, version, place.eventId), version };
}

/**
 * Deletes a solution of an event's bulletin, and with `cascade` what is nothing without it.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also while it is preferred or referred to
 */
export async function deleteSolutionCommand(
  context: CommandContext,
  command: Command,
  {
    kind,
    publicID,
    cascade,
    ...place
  }: BulletinPlace & {
    readonly kind: SolutionKind;
    readonly publicID: string;
    readonly cascade: boolean;
  },
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ version: number; deleted: DeletedSolution[] }> {
  const plan: PlanChange = ({ isStored }) => {
    if (!isStored) throw new Refusal("CONFLICT", "The event has no bulletin");
    return { kind: "delete", solution: { kind, publicID }, cascade };
  };
  const made = await changeBulletin(context, command, place, precondition, plan, makeChange);
  const { version } = made;
  if (!("isMadeBefore" in made)) return { version, deleted: [...made.deleted] };
  const { before, after } = await bulletinsAround(context, place, version);
  return { version, deleted: deletedBetween(before, after) };
}

/**
 * Adds a comment to an event's bulletin, which is made of the row where there is none.
 * @param author as the comment shows them
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function addCommentCommand(
  context: CommandContext,
  command: Command,
  { text, author, ...place }: BulletinPlace & { readonly text: string; readonly author: string },
  precondition: Precondition,
  makeChange = changeStored,
): Promise<{ version: number; comment: QuakemlObject<"Comment"> }> {
  let added: QuakemlObject<"Comment"> | undefined;
  const plan: PlanChange = ({ version, at: creationTime }) => {
    added = { id: commentId(place.eventId, version), text, creationInfo: { author, creationTime } };
    return { kind: "comment", comment: added };
  };
  const made = await changeBulletin(context, command, place, precondition, plan, makeChange);
  const { version } = made;
  if ("isMadeBefore" in made) {
    const { after } = await bulletinsAround(context, place, version);
    added = after.comment?.find(({ id }) => id === commentId(place.eventId, version));
  }
  if (added === undefined) throw new Error("the comment is not in its version");
  return { version, comment: added };
}
