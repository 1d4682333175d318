import type { Operations } from "#contracts/http/operations.ts";
import { type Additions, addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import type { CommandContext } from "#services/commands/context.ts";
import { AdditionEnvelope } from "#services/commands/submission/addition-envelope.ts";
import type { SubmissionReader } from "#services/commands/submission/submission-reader.ts";
import { eventsUnchanged, versionTag } from "../../http/etag.ts";
import type { Handler } from "../../http/handler.ts";
import { validate } from "../../http/validate.ts";
import { requireEvents, requireSomeValid } from "./submitted-events.ts";

export type AddEventsDeps = {
  readonly commands: CommandContext;
  readonly submissions: Pick<SubmissionReader, "asChunks">;
};

export function addEventsHandler({
  commands,
  submissions,
}: AddEventsDeps): Handler<Operations["addEvents"]> {
  const additionsOf = (body: Buffer): Additions => ({
    against: (target, use) =>
      submissions.asChunks(body, target, (submission) => {
        validate(AdditionEnvelope, submission.envelope);
        requireEvents(submission.count);
        return use(submission);
      }),
  });

  return async ({ params, body, command, ifMatch }) => {
    const { report, ...result } = await addEventsCommand(
      commands,
      command,
      params.id,
      additionsOf(body),
      eventsUnchanged(ifMatch),
    );
    return {
      body: { ...result, validationReport: requireSomeValid(report) },
      headers: { etag: versionTag(result.version) },
    };
  };
}
