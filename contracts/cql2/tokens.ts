import { Cql2Fault } from "./cql2-fault.ts";

/** `at` counts characters from 1. */
export type Token = {
  readonly kind: "number" | "text" | "name" | "quoted" | "symbol" | "end";
  /** As written, but for texts and quoted names, which are what they say. */
  readonly text: string;
  readonly at: number;
};

/** OGC 21-065r2, Annex B, `identifier`. */
const START =
  ":_A-Za-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFE}\\u{200C}\\u{200D}" +
  "\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const NAME = new RegExp(`[${START}][${START}.0-9\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*`, "uy");
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[Ee][+-]?\d+)?/y;
const SYMBOL = /<>|<=|>=|[=<>(),+*/^%[\]-]/y;
/** A quote inside is doubled or behind a backslash; a backslash before another character is checked below. */
const TEXT = /'(?:[^'\\]|''|\\[\s\S])*'/y;
const QUOTED = /"((?:[^"]|"")+)"/y;
const BLANK = /[\s\u{85}]*/uy;

const CONTROLS: Readonly<Record<string, string>> = {
  "'": "'",
  "\\": "\\",
  a: "\u0007",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
};

/** @throws Cql2Fault */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = matched(BLANK, text, 0).length;
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push({ kind: token.kind, text: token.meant ?? token.written, at: at + 1 });
    at += token.written.length;
    at += matched(BLANK, text, at).length;
  }
  tokens.push({ kind: "end", text: "", at: text.length + 1 });
  return tokens;
}

type Read = { readonly kind: Token["kind"]; readonly written: string; readonly meant?: string };

function tokenAt(text: string, at: number): Read {
  const first = text[at] ?? "";
  if (first === "'") return textAt(text, at);
  if (first === '"') {
    const written = matched(QUOTED, text, at);
    if (written === "") throw new Cql2Fault("a name has no closing quote", at + 1);
    return { kind: "quoted", written, meant: written.slice(1, -1).replaceAll('""', '"') };
  }
  const number = matched(NUMBER, text, at);
  if (number !== "") {
    const after = matched(NAME, text, at + number.length);
    if (after !== "") throw new Cql2Fault(`"${number}${after}" is no number`, at + 1);
    return { kind: "number", written: number };
  }
  const name = matched(NAME, text, at);
  if (name !== "") return { kind: "name", written: name };
  const symbol = matched(SYMBOL, text, at);
  if (symbol !== "") return { kind: "symbol", written: symbol };
  throw new Cql2Fault(
    `"${String.fromCodePoint(text.codePointAt(at) ?? 0)}" has no meaning`,
    at + 1,
  );
}

/**
 * The escapes of 21-065r2, requirement /req/cql2-text/escaping. Any other backslash is one, so that patterns
 * may escape their wildcards.
 */
function textAt(text: string, at: number): Read {
  const written = matched(TEXT, text, at);
  if (written === "") throw new Cql2Fault("a text has no closing quote", at + 1);
  const meant = written
    .slice(1, -1)
    .replaceAll(/''|\\([\s\S])/g, (sequence, escaped: string | undefined) =>
      escaped === undefined ? "'" : (CONTROLS[escaped] ?? sequence),
    );
  return { kind: "text", written, meant };
}

function matched(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}
