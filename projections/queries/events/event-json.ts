import {
  ANSWERED_FIELDS,
  createMembersWriter,
  isTextField,
  memberHead,
} from "#infra/formats/json/writer.ts";
import { readTextRow } from "#infra/postgres/copy/text-copy.ts";
import { isoTime } from "./copied-event.ts";

/**
 * Writes the JSON of an event from a COPY line of `PAGE_COLUMNS`, or with sources, at `at`, where
 * there must be enough room: byte by byte if nothing needs an escape, otherwise as strings.
 * Concatenating and encoding strings takes three to four times as long.
 * @returns the offset after the event
 */
export function writeEvent(line: Buffer, out: Buffer, at: number, withSources: boolean): number {
  const end = writePlainLine(line, out, at, withSources ? FIELDS.length : FIELDS.length - 1);
  if (end !== NOT_PLAIN) return end;
  const row = readTextRow(line.toString("utf8", 0, line.length - 1));
  row[TIME] = isoTime(row[TIME] as string, Number(row.at(-1)));
  const bulletin = row.at(-2) ?? null;
  const sources = withSources ? (row[SOURCES] ?? null) : null;
  const last = sources === null ? "" : `,"source_events":${sources}`;
  const told = bulletin === null ? "" : `,${bulletin}`;
  const count = row[SOURCES - 1];
  return at + out.write(`{${members(row)},"source_count":${count}${last}${told}}`, at);
}

/** Upper bound of an event's JSON, in bytes. */
export function mostBytes(line: Buffer): number {
  // A control character of one byte takes six in JSON; nothing else takes more per byte.
  return 2 * NULLS.bytes.length + 6 * line.length;
}

const TAB = 0x09;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const DOT = 0x2e;
const ZERO = 0x30;
const CAPITAL_N = 0x4e;
const CAPITAL_T = 0x54;
const CAPITAL_Z = 0x5a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

const NOT_PLAIN = -1;

const FIELDS = [...ANSWERED_FIELDS, "source_count", "source_events"];
/** Left out where there are none. */
const SOURCES = FIELDS.length - 1;

/** The text before each value, including a text's opening quote, concatenated. */
const HEADS = sideBySide((head, field) => (isTextField(field) ? `${head}"` : head));
/** The same with `null` as the value. */
const NULLS = sideBySide((head) => `${head}null`);
const IS_TEXT = FIELDS.map(isTextField);

type SideBySide = { readonly bytes: Buffer; readonly starts: Int32Array };

function sideBySide(write: (head: string, field: string) => string): SideBySide {
  const texts = FIELDS.map((field, i) => write(memberHead(field, i), field));
  const starts = Int32Array.from([...texts, ""], (_, i) => texts.slice(0, i).join("").length);
  return { bytes: Buffer.from(texts.join("")), starts };
}

const members = createMembersWriter(ANSWERED_FIELDS);

/**
 * @returns NOT_PLAIN when the line has an escape or its JSON needs one; the written bytes are then
 * invalid
 */
function writePlainLine(line: Buffer, out: Buffer, at: number, fields: number): number {
  const digits = (line[line.length - 2] ?? 0) - ZERO;
  let from = 0;
  let end = at;
  out[end++] = OPEN;
  for (let field = 0; field < fields; field++) {
    if (line[from] === BACKSLASH) {
      if (line[from + 1] !== CAPITAL_N) return NOT_PLAIN;
      if (field !== SOURCES) end = writeHead(NULLS, field, out, end);
      from += 3;
      continue;
    }
    end = writeHead(HEADS, field, out, end);
    const isText = IS_TEXT[field] === true;
    const begin = end;
    for (;;) {
      const byte = line[from++] ?? 0;
      if (byte === TAB) break;
      if (byte < SPACE || byte === BACKSLASH || (byte === QUOTE && isText)) return NOT_PLAIN;
      out[end++] = byte;
    }
    if (field === TIME) end = endTime(out, begin, end, digits);
    if (isText) out[end++] = QUOTE;
  }
  end = writeBulletin(line, from, out, end);
  out[end++] = CLOSE;
  return end;
}

/** What is told of the bulletin is JSON already, without anything that COPY escapes. */
function writeBulletin(line: Buffer, start: number, out: Buffer, at: number): number {
  if (line[start] === BACKSLASH) return at;
  let end = at;
  out[end++] = COMMA;
  const stop = line.indexOf(TAB, start);
  for (let from = start; from < stop; from++) out[end++] = line[from] ?? 0;
  return end;
}

function writeHead({ bytes, starts }: SideBySide, field: number, out: Buffer, at: number): number {
  const stop = starts[field + 1] ?? 0;
  let end = at;
  for (let i = starts[field] ?? 0; i < stop; i++) out[end++] = bytes[i] ?? 0;
  return end;
}

const TIME = ANSWERED_FIELDS.indexOf("time");
const DATE = "2016-11-13".length;
const SECONDS = "2016-11-13 11:02:56".length;

/** Converts PostgreSQL's time with its zone, as written, to ISO 8601; see isoTime. */
function endTime(out: Buffer, begin: number, stop: number, digits: number): number {
  let end = begin + SECONDS;
  out[begin + DATE] = CAPITAL_T;
  if (digits > 0) {
    const isFraction = out[end] === DOT;
    out[end++] = DOT;
    if (isFraction) while (end < stop && out[end] !== PLUS) end++;
    const full = begin + SECONDS + 1 + digits;
    while (end < full) out[end++] = ZERO;
  }
  out[end++] = CAPITAL_Z;
  return end;
}
