import type { Operations } from "#contracts/http/operations.ts";
import {
  changeEventCommand,
  removeEventCommand,
} from "#services/commands/catalogues/change-event.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { eventsUnchanged, versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { eventBody } from "./read-event.ts";

export function changeEventHandler(deps: {
  commands: CommandContext;
}): Handler<Operations["changeEvent"]> {
  return async ({ params, body, command, ifMatch }) => {
    const { event, version } = await changeEventCommand(
      deps.commands,
      command,
      params.id,
      params.eventId,
      body,
      eventsUnchanged(ifMatch),
    );
    return {
      body: { event: eventBody(event), version },
      headers: { etag: versionTag(version) },
    };
  };
}

export function removeEventHandler(deps: {
  commands: CommandContext;
}): Handler<Operations["removeEvent"]> {
  return async ({ params, command, ifMatch }) => {
    const { version } = await removeEventCommand(
      deps.commands,
      command,
      params.id,
      params.eventId,
      eventsUnchanged(ifMatch),
    );
    return { body: { success: true, version }, headers: { etag: versionTag(version) } };
  };
}
