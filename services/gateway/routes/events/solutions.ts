import {
  addCommentCommand,
  deleteSolutionCommand,
  preferSolutionsCommand,
} from "#services/commands/catalogues/change-solutions.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { eventBody } from "./read-event.ts";

export const preferSolutionsHandler: MakeHandler<"preferSolutions"> =
  ({ context }) =>
  async ({ params: { id: catalogueId, eventId }, body, command, ifMatch }) => {
    const place = { catalogueId, eventId };
    const unchanged = eventsUnchanged(ifMatch);
    const changed = await preferSolutionsCommand(context, command, place, body, unchanged);
    const { event, version } = changed;
    return { body: { event: eventBody(event), version }, headers: { etag: versionTag(version) } };
  };

export const deleteSolutionHandler: MakeHandler<"deleteSolution"> =
  ({ context }) =>
  async ({ params, query: { cascade }, command, ifMatch }) => {
    const { id: catalogueId, eventId, kind, publicID } = params;
    const solution = { catalogueId, eventId, kind, publicID, cascade: cascade === "true" };
    const unchanged = eventsUnchanged(ifMatch);
    const body = await deleteSolutionCommand(context, command, solution, unchanged);
    return { body, headers: { etag: versionTag(body.version) } };
  };

export const addCommentHandler: MakeHandler<"addComment"> =
  ({ context }) =>
  async ({ params: { id: catalogueId, eventId }, body: { text }, actor, command, ifMatch }) => {
    const comment = { catalogueId, eventId, text, author: actor.name };
    const unchanged = eventsUnchanged(ifMatch);
    const body = await addCommentCommand(context, command, comment, unchanged);
    return { body, headers: { etag: versionTag(body.version) } };
  };
