import { AddEventsEnvelope } from "#contracts/http/event-edits.ts";
import { type Asker, staying } from "#infra/kernel/asker.ts";
import { type Additions, addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import type { SubmittedBody } from "#services/commands/submission/submission-reader.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import { validate } from "../../http/validate.ts";
import type { MakeHandler } from "../make-handler.ts";
import { requireEvents, requireSomeValid } from "./require-valid-events.ts";

export const addEventsHandler: MakeHandler<"addEvents", "context" | "submissions"> = ({
  context,
  submissions,
}) => {
  const additionsOf = (body: SubmittedBody, asker: Asker): Additions => ({
    against: (target, use) =>
      submissions.asChunks(body, target, staying(asker), (submission) => {
        validate(AddEventsEnvelope, submission.envelope);
        requireEvents(submission.count);
        return use(submission);
      }),
  });

  return async ({ params, body, command, ifMatch, asker }) => {
    const { report, ...result } = await addEventsCommand(
      context,
      command,
      params.id,
      additionsOf({ bytes: body, owner: command.actor }, asker),
      eventsUnchanged(ifMatch),
    );
    return {
      body: { ...result, validationReport: requireSomeValid(report) },
      headers: { etag: versionTag(result.version) },
    };
  };
};
