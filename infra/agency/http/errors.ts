import type { ErrorCode } from "#contracts/errors.ts";
import { CircuitOpen } from "./circuit-breaker.ts";

/** No causes, which may carry bytes and certificates; messages quote only through `agencyText`. */

/** The agency cannot be reached, broke off its answer, or answered 5xx or 429. */
export class AgencyUnavailable extends Error {
  override readonly name = "AgencyUnavailable";
  readonly status: number | null;
  /** How long the agency asks us to wait; null when it does not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, options: { status?: number; retryAfterMs?: number | null } = {}) {
    super(message);
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The agency was silent for too long, or its whole answer took too long. */
export class AgencyTimeout extends Error {
  override readonly name = "AgencyTimeout";
}

/** The agency's answer is a refusal or cannot be used. */
export class AgencyError extends Error {
  override readonly name = "AgencyError";
  readonly status: number | null;
  /** True when the same request may succeed later: a broken answer, not a refusal. */
  readonly worthRetrying: boolean;

  constructor(message: string, options: { status?: number; worthRetrying?: boolean } = {}) {
    super(message);
    this.status = options.status ?? null;
    this.worthRetrying = options.worthRetrying ?? false;
  }
}

const TOO_MANY_REQUESTS = 429;

/**
 * What the circuit breaker counts: 5xx, time-outs, failed connections, and answers that end early,
 * which is another form of a failed connection. Refusals (4xx), 429 and unreadable answers show that
 * the agency is there.
 */
export function isAgencyFailure(error: unknown): boolean {
  if (error instanceof AgencyTimeout) return true;
  return error instanceof AgencyUnavailable && error.status !== TOO_MANY_REQUESTS;
}

/** The API's error code for an error of a request to the agency; null for any other error. */
export function agencyErrorCode(
  error: unknown,
): Extract<ErrorCode, `AGENCY_${string}` | "CIRCUIT_OPEN"> | null {
  if (error instanceof AgencyUnavailable) return "AGENCY_UNAVAILABLE";
  if (error instanceof AgencyTimeout) return "AGENCY_TIMEOUT";
  if (error instanceof AgencyError) return "AGENCY_ERROR";
  if (error instanceof CircuitOpen) return "CIRCUIT_OPEN";
  return null;
}

/** Longest excerpt of an agency's own text, in characters. */
const LONGEST_EXCERPT = 200;
/** Characters of the text that are examined. */
const EXAMINED_LENGTH = 2_000;

const LEFT_OUT = "[left out]";

/** Words that announce a secret, also inside longer words: `client_secret`, `apiToken`. */
const SECRET_WORDS =
  /bearer|basic(?= \S{16})|passw(?:or)?d|passphrase|passcode|pwd|token|secret|credential|authori[sz]ation|cookie/i;
/** Matches `api_key`, `apikey`, `KEYS`; not Turkey or keyword. */
const KEY_WORDS = /(?<!tur|mon)keys?(?![a-z])/i;
/** Matches `keyId`, `apiKeyValue`. */
const KEY_HUMPS = /[Kk]ey(?=[A-Z])/;

const HIDDEN = /[\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;
const BLANKS = /[\p{Z}\t\n\v\f\r\u0085]+/gu;
const CONTROLS = /\p{Cc}/gu;

/**
 * An agency's own text as clients and the log may see it: one line of at most 200 printable
 * characters. Everything after a word that announces a secret is left out, since the end of a secret
 * cannot be recognised. So is the user information of URLs.
 */
export function agencyText(text: string): string {
  const line = printable(beginningOf(text));
  const end = endOfSecretWord(line);
  const open = end === null ? line : `${line.slice(0, end)} ${LEFT_OUT}`;
  return shortened(withoutUsers(open));
}

/** Cuts the text between words: half a URL would not show that it holds user information. */
function beginningOf(text: string): string {
  if (text.length <= EXAMINED_LENGTH) return text;
  const cut = text.slice(0, EXAMINED_LENGTH);
  return cut.slice(0, Math.max(0, cut.lastIndexOf(" "), cut.lastIndexOf("\n")));
}

function printable(text: string): string {
  return text
    .toWellFormed()
    .normalize("NFKC")
    .replaceAll(HIDDEN, "")
    .replaceAll(BLANKS, " ")
    .replaceAll(CONTROLS, "")
    .trim();
}

function endOfSecretWord(line: string): number | null {
  const ends = [SECRET_WORDS, KEY_WORDS, KEY_HUMPS].flatMap((words) => {
    const match = words.exec(line);
    return match === null ? [] : [match.index + match[0].length];
  });
  return ends.length === 0 ? null : Math.min(...ends);
}

function withoutUsers(line: string): string {
  const safe: string[] = [];
  for (const word of line.split(" ")) {
    const plain = word.replaceAll("%40", "@").replaceAll(/%3a/gi, ":").replaceAll(/%2f/gi, "/");
    if (isBrokenAddress(plain)) return [...safe, LEFT_OUT].join(" ");
    safe.push(plain.includes("@") ? withoutUser(plain) : word);
  }
  return safe.join(" ");
}

/** A word without the user information of a URL in it. E-mail addresses stay. */
function withoutUser(word: string): string {
  const at = word.lastIndexOf("@");
  const slashes = word.indexOf("//");
  const host = word.slice(at + 1);
  if (slashes !== -1 && slashes < at) return word.slice(0, slashes + 2) + host;
  return word.slice(0, at).includes(":") ? host : word;
}

/** True for a URL with a colon but no port and no `@`: its password may contain a blank. */
function isBrokenAddress(word: string): boolean {
  const slashes = word.indexOf("//");
  if (slashes === -1 || word.includes("@")) return false;
  const [authority = ""] = word.slice(slashes + 2).split(/[/?#]/, 1);
  const colon = authority.indexOf(":", authority.lastIndexOf("]") + 1);
  return colon !== -1 && !/^\d{1,5}(?!\w)/.test(authority.slice(colon + 1));
}

function shortened(text: string): string {
  if (text.length <= LONGEST_EXCERPT) return text;
  return `${text.slice(0, LONGEST_EXCERPT - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
