import { type Dialect, isDelimiterCode, isPadding } from "./dialect.ts";

const LF = 10;
const CR = 13;
const QUOTE = 34;

/**
 * Where a record ends: the place of its line end. `unfinished`: the text ends first.
 * `fault`: quotes that RFC 4180 does not allow.
 */
export type RecordEnd =
  | { readonly kind: "complete"; readonly end: number }
  | { readonly kind: "unfinished"; readonly inQuotes: boolean }
  | { readonly kind: "fault"; readonly message: string };

const STRAY_QUOTE: RecordEnd = {
  kind: "fault",
  message: 'holds a quote inside a field that does not begin with one; write it as "" in quotes',
};
const TEXT_AFTER_QUOTE: RecordEnd = {
  kind: "fault",
  message: "holds text after the closing quote of a field",
};
const IN_FIELD: RecordEnd = { kind: "unfinished", inQuotes: false };
const IN_QUOTES: RecordEnd = { kind: "unfinished", inQuotes: true };

/**
 * Finds the end of the record that begins at `start`, in a line that ends at `firstLineEnd` and holds
 * quotes. csv-parse reads its fields later; the end is looked for here, because csv-parse goes on in
 * quotes after a fault and loses the rows that follow, while a faulty record should cost itself
 * alone. Time is linear in the record.
 */
export function findRecordEnd(
  text: string,
  start: number,
  firstLineEnd: number,
  { delimiter }: Dialect,
): RecordEnd {
  let at = start;
  let lineEnd = firstLineEnd;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1 || quote > lineEnd) return endingAt(text, lineEnd);
    if (!opensField(text, quote, at, delimiter)) return STRAY_QUOTE;
    at = afterClosingQuote(text, quote + 1);
    if (at === -1) return IN_QUOTES;
    if (at > lineEnd) lineEnd = endOfLine(text, at);
    while (isPadding(delimiter, text.charCodeAt(at))) at++;
    if (at >= lineEnd) return endingAt(text, lineEnd);
    if (!isDelimiterCode(delimiter, text.charCodeAt(at))) return TEXT_AFTER_QUOTE;
    at++;
  }
}

function endingAt(text: string, lineEnd: number): RecordEnd {
  return lineEnd === text.length ? IN_FIELD : { kind: "complete", end: lineEnd };
}

/** True when nothing but padding stands between the beginning of a field and the quote. */
function opensField(
  text: string,
  quote: number,
  from: number,
  delimiter: Dialect["delimiter"],
): boolean {
  let before = quote - 1;
  while (before >= from && isPadding(delimiter, text.charCodeAt(before))) before--;
  return before < from || isDelimiterCode(delimiter, text.charCodeAt(before));
}

/** The place after the quote that closes a field, −1 when the text ends before it is certain. */
function afterClosingQuote(text: string, start: number): number {
  for (let from = start; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return -1;
    if (text.charCodeAt(quote + 1) !== QUOTE) return quote + 1;
    from = quote + 2;
  }
}

/** Looked for character by character: the next CR may be megabytes away. */
function endOfLine(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) break;
  }
  return at;
}
