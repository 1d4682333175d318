import { retryAfterMs } from "../kernel/backoff.ts";
import { agencyText } from "./agency-text.ts";
import { beginningBytes } from "./answer-beginning.ts";
import { AgencyError, AgencyUnavailable } from "./errors.ts";
import type { HttpAnswer } from "./http-exchange.ts";

export type RefusalOptions = {
  /** The agency's name, for error messages. */
  readonly name: string;
  readonly now: () => number;
};

/** Longest wait before a retry, even if the agency asks for more. */
const LONGEST_WAIT_MS = 120_000;
/** Bytes of a refusal that are read: all that `agencyText` examines, in any encoding. */
const REFUSAL_BYTES = 8 * 1024;
/** Stands for the agency's own host in relative redirects. */
const SAME_HOST = "same.invalid";

/** What an answer says that is none of those which were expected: to be tried again for 5xx and 429. */
export function refusalIn(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  text: string,
  { name, now }: RefusalOptions,
): AgencyUnavailable | AgencyError {
  if (status >= 300 && status < 400) {
    const message = `${name} sends its clients to ${hostOf(headers.location)}, which is not followed`;
    return new AgencyError(message, { status });
  }
  const why = agencyText(text);
  const message = `${name} answered with status ${status}${why === "" ? "" : `: ${why}`}`;
  if (status !== 429 && status < 500) return new AgencyError(message, { status });
  const wait = retryAfterMs(headers["retry-after"], now(), LONGEST_WAIT_MS);
  return new AgencyUnavailable(message, { status, retryAfterMs: wait });
}

/** Host of a redirect's target only: path and query may hold a session or a token. */
function hostOf(location: string | undefined): string {
  if (location === undefined) return "nowhere";
  const hostname = URL.parse(location, `http://${SAME_HOST}`)?.hostname ?? "";
  return hostname === SAME_HOST ? "another path" : agencyText(hostname) || "nowhere";
}

/** As much of an answer's text as its refusal quotes. */
export async function beginningOf(answer: Pick<HttpAnswer, "body">): Promise<string> {
  return (await beginningBytes(answer, REFUSAL_BYTES)).toString();
}
