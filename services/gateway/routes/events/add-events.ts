import { AddEventsBody, AddEventsEnvelope } from "#contracts/http/events/event-edits.ts";
import { MAX_WARNINGS, type Warning } from "#contracts/http/warnings.ts";
import { unknownMembers } from "#infra/json/unknown-members.ts";
import { validate } from "#infra/json/validate.ts";
import { type Additions, addEventsCommand } from "#services/commands/catalogues/add-events.ts";
import type { SubmittedBody } from "#services/commands/submission/submission-reader.ts";
import type { Run } from "#services/jobs/run-job.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import { eventsUnchanged, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";
import { reportedChunks } from "./reported-chunks.ts";
import { requireEvents, requireSomeValid } from "./require-valid-events.ts";

/** The events are added to the end, whether the client waits or not. */
export const addEventsHandler: MakeHandler<
  "addEvents",
  "context" | "submissions" | "runner" | "keepBody"
> = ({ context, submissions, runner, keepBody }) => {
  const additionsOf = (body: SubmittedBody, run: Run, warnings: Warning[]): Additions => ({
    against: (target, use) =>
      submissions.asChunks(body, target, run, ({ chunks, ...submission }) => {
        validate(AddEventsEnvelope, submission.envelope);
        warnings.push(...unknownMembers(AddEventsBody, submission.envelope));
        const total = requireEvents(submission.count);
        return use({ ...submission, chunks: reportedChunks(chunks, total, run) });
      }),
  });

  return async (call) => {
    const { params, body, command, ifMatch } = call;
    return answerOrStart(runner, call, {
      job: { kind: "add", unit: "events" },
      keep: () => keepBody(body),
      work: async (run) => {
        const warnings: Warning[] = [];
        const {
          report,
          warnings: ofRows = [],
          ...result
        } = await addEventsCommand(
          context,
          command,
          params.id,
          additionsOf({ bytes: body, owner: command.actor }, run, warnings),
          eventsUnchanged(ifMatch),
        );
        const told = [...warnings, ...ofRows].slice(0, MAX_WARNINGS);
        return {
          body: {
            ...result,
            validationReport: requireSomeValid(report),
            ...(told.length > 0 && { warnings: told }),
          },
          headers: { etag: versionTag(result.version) },
        };
      },
    });
  };
};
