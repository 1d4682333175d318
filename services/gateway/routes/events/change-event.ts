import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { meantName } from "#contracts/seismic-event/meant-name.ts";
import { staying } from "#infra/kernel/asker.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import { removeEventsCommand } from "#services/commands/catalogues/remove-events.ts";
import { restoreEventCommand } from "#services/commands/catalogues/restore-event.ts";
import { foreignMembers } from "#services/domain/seismic-event/patch-event.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { changedEvent } from "./read-event.ts";

export const changeEventHandler: MakeHandler<"changeEvent", "context" | "bulletins"> =
  ({ context, bulletins }) =>
  async ({ params, hidden, body, command, ifMatch, asker, warnings }) => {
    const changed = await changeEventCommand(
      context,
      command,
      params.id,
      params.eventId,
      body,
      eventsUnchanged(ifMatch),
      bulletins.changeFor(staying(asker)),
    );
    for (const path of foreignMembers(body)) {
      const meant = meantName(path, ATTRIBUTE_NAMES);
      const kept = body[path] === null ? "" : " and is kept in extra";
      warnings.push({ path, message: `is no attribute of events${kept}${meant}` });
    }
    return changedEvent(changed, hidden);
  };

export const removeEventHandler: MakeHandler<"removeEvent"> =
  ({ context }) =>
  async ({ params, command, ifMatch }) => {
    const { version } = await removeEventCommand(
      context,
      command,
      params.id,
      params.eventId,
      eventsUnchanged(ifMatch),
    );
    return { body: { success: true, version }, headers: { etag: versionTag(version) } };
  };

export const removeEventsHandler: MakeHandler<"removeEvents"> =
  ({ context }) =>
  async ({ params, body, command, ifMatch }) => {
    const removed = await removeEventsCommand(
      context,
      command,
      params.id,
      body.events,
      eventsUnchanged(ifMatch),
    );
    return { body: removed, headers: { etag: versionTag(removed.version) } };
  };

export const restoreEventHandler: MakeHandler<"restoreEvent", "context" | "versionHistories"> =
  (deps) =>
  async ({ params: { id: catalogueId, eventId }, hidden, body, command, ifMatch }) => {
    const wanted = { catalogueId, eventId, version: body.version };
    const precondition = eventsUnchanged(ifMatch);
    const changed = await restoreEventCommand(deps, command, { ...wanted, precondition });
    return changedEvent(changed, hidden);
  };
