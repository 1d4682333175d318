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
 * Finds the end of the record that begins at `start` and holds quotes. csv-parse reads its fields
 * later; the end is looked for here, because csv-parse goes on in quotes after a fault and loses the
 * rows that follow, while a faulty record should cost itself alone. Time is linear in the record.
 */
export function findRecordEnd(text: string, start: number, { delimiter }: Dialect): RecordEnd {
  let at = start;
  for (;;) {
    while (isPadding(delimiter, text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) === QUOTE) {
      at = afterClosingQuote(text, at + 1);
      if (at === -1) return IN_QUOTES;
      while (isPadding(delimiter, text.charCodeAt(at))) at++;
    } else {
      at = endOfUnquoted(text, at, delimiter);
      if (text.charCodeAt(at) === QUOTE) return STRAY_QUOTE;
    }
    if (at >= text.length) return IN_FIELD;
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) return { kind: "complete", end: at };
    if (!isDelimiterCode(delimiter, code)) return TEXT_AFTER_QUOTE;
    at++;
  }
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

function endOfUnquoted(text: string, start: number, delimiter: Dialect["delimiter"]): number {
  let at = start;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR || code === QUOTE || isDelimiterCode(delimiter, code)) break;
  }
  return at;
}
