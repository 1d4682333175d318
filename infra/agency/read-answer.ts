import { Refusal } from "#contracts/errors.ts";
import { MIB } from "#contracts/units.ts";
import { openedFile } from "../files/opened-file.ts";
import { type AnsweredEvent, weightOf } from "./agency-event.ts";
import { agencyText } from "./agency-text.ts";
import {
  type AnswerFault,
  type AnswerReader,
  createAnswerReader,
  type UnreadableRow,
} from "./answer-reader.ts";
import { type AnswerFormat, FORMAT_NAMES } from "./dialects.ts";
import { AgencyError, AgencyUnavailable } from "./errors.ts";
import type { HttpAnswer } from "./http-exchange.ts";
import { beginningOf, refusalIn } from "./refused-answer.ts";

/** What an answer contains. */
export type ReadAnswer =
  | {
      readonly kind: "events";
      readonly events: readonly AnsweredEvent[];
      readonly unreadable: readonly UnreadableRow[];
    }
  /** More events than the agency returns at once. */
  | { readonly kind: "tooMuch" };

export type AnswerOptions = {
  /** The agency's name, for error messages. */
  readonly name: string;
  readonly format: AnswerFormat;
  /** An answer with this many rows is taken to be cut off by the agency's limit. */
  readonly cap: number;
  readonly now: () => number;
  /** Of an answer as it is read: several times what so many events take, and what a window is made for. */
  readonly maxMiB?: number;
};

const NOTHING: ReadAnswer = { kind: "events", events: [], unreadable: [] };
/** Whole events wait in memory: so many of usual size, however many the agency gives at once. */
const MAX_WEIGHT = 10_000;
const MAX_MIB = 256;
/** Nothing, or the error text of FDSN Web Service Specification 1.1, p. 3. */
const NO_DATA_TEXT = /^\s*(?:$|Error 404\b)/i;

/** USGS refuses too large requests with 400: "… matching events exceeds search limit of …". */
const TOO_MUCH_TEXT = /exceeds? (?:the )?(?:search )?limit/i;

/**
 * Reads an answer by its status: 204 means no events, and so does 404 with an empty body or the
 * standard's error text, while a page is what a wrong address answers; 413 means too many. An answer
 * with `cap` rows, or with bulletins as large as of so many usual ones, also means too many, and the rest
 * of it is not read.
 * @throws AgencyUnavailable for 5xx, 429 and an answer that ends too early; AgencyError for any
 * other unusable answer, also one that cannot be read to its end, since the missing events cannot be
 * told from events that do not exist
 */
export async function readAnswer(answer: HttpAnswer, options: AnswerOptions): Promise<ReadAnswer> {
  const { status } = answer;
  if (status === 200) return readEvents(answer, options);
  if (status === 204) return NOTHING;
  if (status === 413) return { kind: "tooMuch" };
  const text = await beginningOf(answer);
  if (status === 404 && NO_DATA_TEXT.test(text)) return NOTHING;
  if (status === 400 && TOO_MUCH_TEXT.test(text)) return { kind: "tooMuch" };
  throw refusalIn(answer, text, options);
}

async function readEvents(
  { headers, body }: HttpAnswer,
  { name, format, cap, maxMiB = MAX_MIB }: AnswerOptions,
): Promise<ReadAnswer> {
  const events: AnsweredEvent[] = [];
  let weight = 0;
  const unreadable: UnreadableRow[] = [];
  let first: AnswerFault | null = null;
  const reader = createAnswerReader(format, {
    event(event) {
      events.push(event);
      weight += weightOf(event);
    },
    unreadable: (row) => unreadable.push(row),
    fault: (fault) => {
      first ??= fault;
    },
  });
  const throwFault = () => {
    if (first !== null) throw errorOf(first, name, format);
  };
  /** Whole events wait in memory, so there is a limit to their size too; one alone has its own. */
  const maxWeight = Math.min(cap, MAX_WEIGHT);
  const isTooMuch = () => {
    if (events.length + unreadable.length >= cap) return true;
    return weight > events.length && weight >= maxWeight && events.length > 1;
  };
  const content = contentOf(body, name, maxMiB);
  for await (const _ of readInto(reader, content, headers["content-length"] !== undefined)) {
    if (isTooMuch()) return { kind: "tooMuch" };
    throwFault();
  }
  return { kind: "events", events, unreadable };
}

/**
 * An answer as it was before it was compressed, which some servers do not say of it: its first bytes do.
 * @throws AgencyError once it is longer than any window's events; AgencyUnavailable where its compression is broken
 */
async function* contentOf(
  body: HttpAnswer["body"],
  name: string,
  maxMiB: number,
): AsyncGenerator<Uint8Array> {
  try {
    const { bytes } = await openedFile("", body, maxMiB * MIB);
    let length = 0;
    for await (const piece of bytes) {
      length += piece.length;
      if (length > maxMiB * MIB) throw new Refusal("FILE_TOO_LARGE");
      yield piece;
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code !== "FILE_TOO_LARGE") {
      throw new AgencyUnavailable(`${name}'s compressed answer is broken`, { status: 200 });
    }
    const message = `${name}'s answer is larger than ${maxMiB} MiB`;
    throw new AgencyError(message, { status: 200 });
  }
}

/** Yields whenever events may have come. The body throws when fewer bytes arrive than announced. */
async function* readInto(
  reader: AnswerReader,
  body: HttpAnswer["body"],
  isLengthKnown: boolean,
): AsyncGenerator<undefined> {
  for await (const bytes of body) {
    reader.write(bytes);
    yield;
  }
  yield* reader.end(isLengthKnown);
  yield;
}

function errorOf(fault: AnswerFault, name: string, format: AnswerFormat): Error {
  switch (fault.kind) {
    case "cut": {
      const message = `${name}'s answer ends early, at line ${fault.line}: ${agencyText(fault.message)}`;
      return new AgencyUnavailable(message, { status: 200 });
    }
    case "malformed": {
      const message = `${name}'s answer cannot be read from line ${fault.line} on: ${agencyText(fault.message)}`;
      return new AgencyError(message, { status: 200, worthRetrying: true });
    }
    case "foreign": {
      const expected = FORMAT_NAMES[format];
      const message = `${name} answered ${fault.content} where ${expected} was asked for`;
      return new AgencyError(message, { status: 200, worthRetrying: true });
    }
  }
}
