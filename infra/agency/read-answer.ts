import { retryAfterMs } from "../http/retry-after.ts";
import type { AnsweredEvent } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import { agencyText } from "./agency-text.ts";
import { type AnswerFault, createAnswerReader, type UnreadableRow } from "./answer-reader.ts";
import { AgencyError, AgencyUnavailable } from "./errors.ts";
import type { HttpAnswer } from "./http-exchange.ts";

/** What an answer says. */
export type ReadAnswer =
  | {
      readonly kind: "events";
      readonly events: readonly AnsweredEvent[];
      readonly unreadable: readonly UnreadableRow[];
    }
  /** More than the agency gives at once. */
  | { readonly kind: "tooMuch" };

export type AnswerOptions = {
  /** The agency's name, for the errors. */
  readonly name: string;
  readonly detail: AgencyQuery["detail"];
  /** So many rows in an answer are taken for a limit at which the agency stops. */
  readonly cap: number;
  readonly now: () => number;
};

const NOTHING: ReadAnswer = { kind: "events", events: [], unreadable: [] };
/** An agency that asks for more is asked again after this. */
const LONGEST_WAIT_MS = 120_000;
/** So much of a refusal is read: more characters than `agencyText` looks at, whatever the encoding. */
const REFUSAL_BYTES = 8 * 1024;
/** Stands for the agency's own host in redirects that name none. */
const SAME_HOST = "same.invalid";

/** USGS refuses too much with 400 (domain notes §1.3): "… matching events exceeds search limit of …". */
const TOO_MUCH_TEXT = /exceeds? (?:the )?(?:search )?limit/i;

/**
 * Reads an answer by its status (contract §5): 204 and 404 say that there is nothing, 413 that there is
 * too much, and so does an answer of `cap` rows, which is left there.
 * @throws AgencyUnavailable for 5xx, 429 and an answer that ends too early; AgencyError for what else is
 * no answer, or cannot be read to its end: what it lacks cannot be told from what the agency never had
 */
export async function readAnswer(answer: HttpAnswer, options: AnswerOptions): Promise<ReadAnswer> {
  const { status, headers } = answer;
  const { name } = options;
  if (status === 200) return readEvents(answer, options);
  if (status === 204 || status === 404) return NOTHING;
  if (status === 413) return { kind: "tooMuch" };
  if (status >= 300 && status < 400) {
    const message = `${name} sends its clients to ${hostOf(headers.location)}, which is not followed`;
    throw new AgencyError(message, { status });
  }
  const text = await beginningOf(answer.body);
  if (status === 400 && TOO_MUCH_TEXT.test(text)) return { kind: "tooMuch" };
  const why = agencyText(text);
  const message = `${name} answered with status ${status}${why === "" ? "" : `: ${why}`}`;
  if (status === 429 || status >= 500) {
    const wait = retryAfterMs(headers["retry-after"], options.now(), LONGEST_WAIT_MS);
    throw new AgencyUnavailable(message, { status, retryAfterMs: wait });
  }
  throw new AgencyError(message, { status });
}

/** Where a redirect goes: its path and query may hold a session or a token. */
function hostOf(location: string | undefined): string {
  if (location === undefined) return "nowhere";
  const hostname = URL.parse(location, `http://${SAME_HOST}`)?.hostname ?? "";
  return hostname === SAME_HOST ? "another path" : agencyText(hostname) || "nowhere";
}

async function readEvents(
  { headers, body }: HttpAnswer,
  { name, detail, cap }: AnswerOptions,
): Promise<ReadAnswer> {
  const events: AnsweredEvent[] = [];
  const unreadable: UnreadableRow[] = [];
  let first: AnswerFault | null = null;
  const reader = createAnswerReader(detail, {
    event: (event, line) => events.push({ event, line }),
    unreadable: (row) => unreadable.push(row),
    fault: (fault) => {
      first ??= fault;
    },
  });
  const throwFault = () => {
    if (first !== null) throw errorOf(first, name, detail);
  };
  for await (const bytes of body) {
    reader.write(bytes);
    if (events.length + unreadable.length >= cap) return { kind: "tooMuch" };
    throwFault();
  }
  // Had fewer bytes come than it announces, the body would have thrown.
  reader.end(headers["content-length"] !== undefined);
  if (events.length + unreadable.length >= cap) return { kind: "tooMuch" };
  throwFault();
  return { kind: "events", events, unreadable };
}

function errorOf(fault: AnswerFault, name: string, detail: AgencyQuery["detail"]): Error {
  const status = 200;
  switch (fault.kind) {
    case "cut": {
      const message = `${name}'s answer ends early, at line ${fault.line}: ${agencyText(fault.message)}`;
      return new AgencyUnavailable(message, { status });
    }
    case "malformed": {
      const message = `${name}'s answer cannot be read from line ${fault.line} on: ${agencyText(fault.message)}`;
      return new AgencyError(message, { status, worthRetrying: true });
    }
    case "foreign": {
      const expected = detail === "full" ? "QuakeML" : "FDSN text";
      const message = `${name} answered ${fault.content} where ${expected} was asked for`;
      return new AgencyError(message, { status, worthRetrying: true });
    }
    default: {
      const unknown: never = fault;
      throw new Error(`unknown fault: ${JSON.stringify(unknown)}`);
    }
  }
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= REFUSAL_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}
