import type { ImportError } from "#contracts/import-run.ts";
import type { AgencyProblem } from "#infra/agency/read-window.ts";

/** What of the agency's answers could not be taken, as a run tells it. */
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
