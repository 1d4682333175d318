import { z } from "zod";
import type { Operations } from "#contracts/http/operations.ts";
import { addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import type { CommandContext } from "#services/commands/context.ts";
import type { SubmissionReader } from "#services/commands/submission/submission-reader.ts";
import { versionTag } from "../../etag.ts";
import type { Handler } from "../../handler.ts";
import { eventsUnchanged } from "../../precondition.ts";
import { validate } from "../../validate.ts";
import { requireSomeValid } from "../submitted-events.ts";

const Envelope = z.object({ updateExisting: z.boolean().default(false) });

export function addEventsHandler(deps: {
  commands: CommandContext;
  submissions: Pick<SubmissionReader, "asColumns">;
}): Handler<Operations["addEvents"]> {
  return async ({ params, body, command, ifMatch }) => {
    const { envelope, report, events } = await deps.submissions.asColumns(body);
    const { updateExisting } = validate(Envelope, envelope);
    const validationReport = requireSomeValid(report);
    const result = await addEventsCommand(
      deps.commands,
      command,
      params.id,
      { events, updateExisting },
      eventsUnchanged(ifMatch),
    );
    return {
      body: { ...result, validationReport },
      headers: { etag: versionTag(result.version) },
    };
  };
}
