import type { Operations } from "#contracts/http/operations.ts";
import { removeEventCommand } from "#services/commands/catalogues/change-event.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { eventsUnchanged } from "../../http/if-match.ts";

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
