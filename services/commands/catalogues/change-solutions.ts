import type { QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { commentId } from "#contracts/bulletin/own-members.ts";
import { Refusal } from "#contracts/errors.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  type DeletedSolution,
  deletedBetween,
  type SolutionKind,
  withoutSolution,
} from "#services/domain/bulletin/deleted-solution.ts";
import {
  type PreferredChange,
  withPreferred,
} from "#services/domain/bulletin/preferred-solutions.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Precondition } from "./catalogue-decision.ts";
import { changeBulletin } from "./change-bulletin.ts";

type Place = { readonly catalogueId: string; readonly eventId: string };

/**
 * Prefers other solutions of an event; its row follows.
 * @throws Refusal NOT_FOUND, PRECONDITION_FAILED, CONFLICT also for an id that is not there
 */
export async function preferSolutionsCommand(
  context: CommandContext,
  command: Command,
  place: Place,
  preferred: PreferredChange,
  precondition: Precondition,
): Promise<{ event: SeismicEvent; version: number }> {
  const { event, version } = await changeBulletin(
    context,
    command,
    place,
    precondition,
    ({ bulletin, isStored }) => {
      const after = withPreferred(bulletin, preferred);
      // A row has one solution of each kind, and no bulletin is made of it for that.
      return isStored ? after : bulletin;
    },
  );
  return { event, version };
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
  }: Place & {
    readonly kind: SolutionKind;
    readonly publicID: string;
    readonly cascade: boolean;
  },
  precondition: Precondition,
): Promise<{ version: number; deleted: DeletedSolution[] }> {
  const { version, before, after } = await changeBulletin(
    context,
    command,
    place,
    precondition,
    ({ bulletin, isStored, view }) => {
      if (!isStored) throw new Refusal("CONFLICT", "The event has no bulletin");
      return withoutSolution(bulletin, { kind, publicID }, cascade, view);
    },
  );
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
  { text, author, ...place }: Place & { readonly text: string; readonly author: string },
  precondition: Precondition,
): Promise<{ version: number; comment: QuakemlObject<"Comment"> }> {
  const { version, after } = await changeBulletin(
    context,
    command,
    place,
    precondition,
    ({ bulletin, version: made, at: creationTime }) => {
      const id = commentId(place.eventId, made);
      const added = { id, text, creationInfo: { author, creationTime } };
      return { ...bulletin, comment: [...(bulletin.comment ?? []), added] };
    },
  );
  const comment = after.comment?.find(({ id }) => id === commentId(place.eventId, version));
  if (comment === undefined) throw new Error("the comment is not in its version");
  return { version, comment };
}
