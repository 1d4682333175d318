import { staying } from "#infra/kernel/asker.ts";
import {
  addCommentCommand,
  deleteSolutionCommand,
  preferSolutionsCommand,
} from "#services/commands/catalogues/change-solutions.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { changedEvent } from "./read-event.ts";

export const preferSolutionsHandler: MakeHandler<"preferSolutions", "context" | "bulletins"> =
  ({ context, bulletins }) =>
  async ({ params: { id: catalogueId, eventId }, hidden, body, command, ifMatch, asker }) => {
    const place = { catalogueId, eventId };
    const unchanged = eventsUnchanged(ifMatch);
    const make = bulletins.changeFor(staying(asker));
    const changed = await preferSolutionsCommand(context, command, place, body, unchanged, make);
    return changedEvent(changed, hidden);
  };

export const deleteSolutionHandler: MakeHandler<"deleteSolution", "context" | "bulletins"> =
  ({ context, bulletins }) =>
  async ({ params, query: { cascade }, command, ifMatch, asker }) => {
    const { id: catalogueId, eventId, kind, publicID } = params;
    const solution = { catalogueId, eventId, kind, publicID, cascade: cascade === "true" };
    const unchanged = eventsUnchanged(ifMatch);
    const make = bulletins.changeFor(staying(asker));
    const body = await deleteSolutionCommand(context, command, solution, unchanged, make);
    return { body, headers: { etag: versionTag(body.version) } };
  };

export const addCommentHandler: MakeHandler<"addComment", "context" | "bulletins"> =
  ({ context, bulletins }) =>
  async ({
    params: { id: catalogueId, eventId },
    body: { text },
    actor,
    command,
    ifMatch,
    asker,
  }) => {
    const comment = { catalogueId, eventId, text, author: actor.name };
    const unchanged = eventsUnchanged(ifMatch);
    const make = bulletins.changeFor(staying(asker));
    const body = await addCommentCommand(context, command, comment, unchanged, make);
    return { body, headers: { etag: versionTag(body.version) } };
  };
