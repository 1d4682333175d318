import { type Additions, addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import { AdditionEnvelope } from "#services/commands/submission/addition-envelope.ts";
import { eventsUnchanged, versionTag } from "../../http/etag.ts";
import { validate } from "../../http/validate.ts";
import type { MakeHandler } from "../make-handler.ts";
import { requireEvents, requireSomeValid } from "./submitted-events.ts";

export const addEventsHandler: MakeHandler<"addEvents", "context" | "submissions"> = ({
  context,
  submissions,
}) => {
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
      context,
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
};
