import type { ImportError } from "#contracts/import-run.ts";
import type { AgencyProblem } from "#infra/agency/read-window.ts";

/** A problem with the agency's answers in the form of a run's report. */
export function importErrorOf(
  { message, sourceId, line, answer }: Omit<AgencyProblem, "publicId">,
  time?: string,
): ImportError {
  const event = time === undefined ? "" : `, the event of ${time}`;
  return {
    message,
    ...(sourceId !== null && { source_id: sourceId }),
    line,
    where: `line ${line} of the answer for ${answer}${event}`,
  };
}
