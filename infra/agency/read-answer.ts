import type { AgencyEvent } from "./agency-event.ts";
import type { AgencyQuery } from "./agency-query.ts";
import { createAnswerReader, type UnreadableRow } from "./answer-reader.ts";
import { AgencyError, AgencyUnavailable } from "./errors.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { retryAfterMs } from "./retry-after.ts";

/** What an answer says. */
export type ReadAnswer =
  | {
      readonly kind: "events";
      readonly events: readonly AgencyEvent[];
      readonly unreadable: readonly UnreadableRow[];
    }
  /** More than the agency gives at once. */
  | { readonly kind: "tooMuch" };

type Answered = Extract<ReadAnswer, { kind: "events" }>;

/** The answer cannot be read to its end. */
export class BrokenAnswer extends AgencyError {
  readonly line: number;
  /** Private, so that thousands of events are in no log. */
  readonly #before: Answered;

  constructor(message: string, line: number, before: Answered) {
    super(message, { status: 200, worthRetrying: true });
    this.line = line;
    this.#before = before;
  }

  /** What was read before the fault. */
  before(): Answered {
    return this.#before;
  }
}

export type AnswerOptions = {
  /** The agency's name, for the errors. */
  readonly name: string;
  readonly detail: AgencyQuery["detail"];
  /** So many rows in an answer are taken for a limit at which the agency stops. */
  readonly cap: number;
  readonly now: () => number;
};

const NOTHING: ReadAnswer = { kind: "events", events: [], unreadable: [] };
/** Of an agency's own text, as much is told. */
const DETAIL_BYTES = 1_000;
const DETAIL_LINES = 4;

const CONTENT_TYPES = { full: /[/+]xml\b/i, summary: /^text\/(?:plain|csv)\b/i };
/** USGS refuses too much with 400 (domain notes §1.3): "… matching events exceeds search limit of …". */
const TOO_MUCH_TEXT = /exceeds? (?:the )?(?:search )?limit/i;

/**
 * Reads an answer by its status (contract §5): 204 and 404 say that there is nothing, 413 that there is
 * too much, and so does an answer of `cap` rows, which is left there.
 * @throws AgencyUnavailable for 5xx and 429; AgencyError for what else is no answer; BrokenAnswer
 */
export async function readAnswer(answer: HttpAnswer, options: AnswerOptions): Promise<ReadAnswer> {
  const { status, headers } = answer;
  const { name } = options;
  if (status === 200) return readEvents(answer, options);
  if (status === 204 || status === 404) return NOTHING;
  if (status === 413) return { kind: "tooMuch" };
  if (status >= 300 && status < 400) {
    const where = headers.location ?? "nowhere";
    throw new AgencyError(`${name} sends its clients to ${where}, which is not followed`, {
      status,
    });
  }
  const detail = await firstLines(answer.body);
  if (status === 400 && TOO_MUCH_TEXT.test(detail)) return { kind: "tooMuch" };
  const message = `${name} answered with status ${status}${detail === "" ? "" : `: ${detail}`}`;
  if (status === 429 || status >= 500) {
    const wait = retryAfterMs(headers["retry-after"], options.now());
    throw new AgencyUnavailable(message, { status, detail, retryAfterMs: wait });
  }
  throw new AgencyError(message, { status, detail });
}

async function readEvents(
  { headers, body }: HttpAnswer,
  { name, detail, cap }: AnswerOptions,
): Promise<ReadAnswer> {
  const contentType = headers["content-type"];
  if (contentType !== undefined && !CONTENT_TYPES[detail].test(contentType)) {
    const text = await firstLines(body);
    const expected = detail === "full" ? "QuakeML" : "FDSN text";
    throw new AgencyError(`${name} answered ${contentType} where ${expected} was asked for`, {
      status: 200,
      detail: text,
      worthRetrying: true,
    });
  }
  const events: AgencyEvent[] = [];
  const unreadable: UnreadableRow[] = [];
  let fault: { line: number; message: string } | null = null;
  const reader = createAnswerReader(detail, {
    event: (event) => events.push(event),
    unreadable: (row) => unreadable.push(row),
    broken: (line, message) => {
      fault ??= { line, message };
    },
  });
  const throwFault = () => {
    if (fault === null) return;
    const message = `${name}'s answer cannot be read: ${fault.message}`;
    throw new BrokenAnswer(message, fault.line, { kind: "events", events, unreadable });
  };
  for await (const bytes of body) {
    reader.write(bytes);
    if (events.length + unreadable.length >= cap) return { kind: "tooMuch" };
    throwFault();
  }
  reader.end();
  if (events.length + unreadable.length >= cap) return { kind: "tooMuch" };
  throwFault();
  return { kind: "events", events, unreadable };
}

async function firstLines(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= DETAIL_BYTES) break;
  }
  const text = Buffer.concat(chunks).subarray(0, DETAIL_BYTES).toString();
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .slice(0, DETAIL_LINES)
    .join(" / ");
}
