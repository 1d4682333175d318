import { countVertices } from "../geometry/shape.ts";
import { type Condition, conditionsIn, type Expression, negated } from "../query/expression.ts";
import {
  between,
  CQL2_LIMITS,
  Cql2Fault,
  compared,
  conditionOf,
  type IntervalEnd,
  intersects,
  isNull,
  isOperator,
  like,
  type Operand,
  oneOf,
  operandOf,
  pair,
  requireDepth,
  temporalRelation,
  type Value,
} from "./predicates.ts";

/** `cql-text` is the draft's name, the one that GDAL knows; what GDAL writes under it is CQL2 Text. */
export const FILTER_LANGUAGES = ["cql2-text", "cql2-json", "cql-text"] as const;
export type FilterLanguage = (typeof FILTER_LANGUAGES)[number];

/** @throws Cql2Fault */
export function readFilter(text: string, language: FilterLanguage): Expression {
  if (text.length > CQL2_LIMITS.characters) {
    throw new Cql2Fault(`a filter has at most ${CQL2_LIMITS.characters} characters`, null);
  }
  const expression =
    language === "cql2-json" ? conditionOf(readValue(parsed(text), "", 1)) : readCql2Text(text);
  const conditions = conditionsIn(expression);
  if (conditions.length > CQL2_LIMITS.conditions) {
    throw new Cql2Fault(`a filter has at most ${CQL2_LIMITS.conditions} conditions`, null);
  }
  const vertices = conditions.reduce((sum, condition) => sum + verticesOf(condition), 0);
  if (vertices > CQL2_LIMITS.vertices) {
    throw new Cql2Fault(
      `the geometries of a filter have at most ${CQL2_LIMITS.vertices} places`,
      null,
    );
  }
  return expression;
}

function verticesOf(condition: Condition): number {
  if (condition.kind !== "shape") return 0;
  const { polygons, lines, points } = condition.shape;
  return countVertices(polygons) + lines.flat().length + points.length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Cql2Fault(`is not JSON: ${(error as SyntaxError).message}`, null);
  }
}

/** Of CQL2 JSON (OGC 21-065r2, Annex C). @throws Cql2Fault, which tells the path of the member */
function readValue(value: unknown, at: string, depth: number): Value {
  if (typeof value === "number") return { kind: "number", value, at };
  if (typeof value === "string") return { kind: "text", value, at };
  if (typeof value === "boolean") return { kind: "boolean", value, at };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Cql2Fault("a condition, property or literal is expected here", at);
  }
  const { op, property, date, timestamp, interval, bbox } = value as Record<string, unknown>;
  if (typeof op === "string") {
    requireDepth(depth, at);
    return { kind: "condition", is: readOperation(op, value, at, depth), at };
  }
  if (typeof property === "string") return { kind: "property", name: property, at };
  if (typeof date === "string") return { kind: "date", text: date, at };
  if (typeof timestamp === "string") return { kind: "timestamp", text: timestamp, at };
  if (interval !== undefined) return { kind: "interval", ends: readEnds(interval, at), at };
  if (bbox !== undefined && !("type" in value)) return readBox(bbox, at);
  return { kind: "geometry", geometry: value, at };
}

function readOperation(op: string, value: object, at: string, depth: number): Expression {
  const path = at === "" ? "args" : `${at}.args`;
  const args: unknown = (value as { readonly args?: unknown }).args;
  if (!Array.isArray(args)) throw new Cql2Fault("a list is expected", path);
  const values = (list: readonly unknown[], of: string) =>
    list.map((item, i) => readValue(item, `${of}[${i}]`, depth + 1));
  const conditions = () => values(args, path).map(conditionOf);
  if (op === "and") return { all: conditions() };
  if (op === "or") return { any: conditions() };
  if (op === "not") return negated(only(conditions(), path));
  if (op === "in") {
    const [operand, list] = pair(args, path);
    if (!Array.isArray(list)) throw new Cql2Fault("a list is expected", `${path}[1]`);
    const left = operandOf(readValue(operand, `${path}[0]`, depth + 1));
    return oneOf(left, values(list, `${path}[1]`).map(operandOf));
  }
  return predicateOf(op, values(args, path).map(operandOf), path);
}

function predicateOf(op: string, operands: readonly Operand[], at: string): Expression {
  if (op === "isNull") return isNull(only(operands, at));
  if (op === "between") {
    const [operand, low, high] = operands;
    if (operand && low && high && operands.length === 3) return between(operand, low, high);
    throw new Cql2Fault("three operands are expected", at);
  }
  const [left, right] = pair(operands, at);
  if (isOperator(op)) return compared(left, op, right);
  if (op === "like") return like(left, right);
  const predicate = op === "s_intersects" ? intersects : temporalRelation(op.toLowerCase());
  if (predicate !== null) return predicate(left, right);
  throw new Cql2Fault(`there is no operator "${op}"`, at);
}

function only<T>(items: readonly T[], at: string): T {
  const [item] = items;
  if (item !== undefined && items.length === 1) return item;
  throw new Cql2Fault("one operand is expected", at);
}

function readEnds(interval: unknown, at: string): readonly [IntervalEnd, IntervalEnd] {
  if (!Array.isArray(interval)) throw new Cql2Fault("an interval is a list of two ends", at);
  const ends = interval.map((end, i): IntervalEnd => {
    const place = `${at}.interval[${i}]`;
    if (typeof end === "string") return { kind: "text", value: end, at: place };
    const { property } = Object(end) as { readonly property?: unknown };
    if (typeof property === "string") return { kind: "property", name: property, at: place };
    throw new Cql2Fault("an end is a text or a property", place);
  });
  return pair(ends, at);
}

function readBox(bbox: unknown, at: string): Operand {
  const isBox = Array.isArray(bbox) && bbox.every((number) => typeof number === "number");
  if (!isBox) throw new Cql2Fault("a box is a list of numbers", `${at}.bbox`);
  return { kind: "bbox", numbers: bbox, at };
}

/** `at` counts characters from 1. */
type Token = {
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
function tokensOf(text: string): Token[] {
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

/** Reads CQL2 Text (OGC 21-065r2, Annex B). @throws Cql2Fault */
function readCql2Text(text: string): Expression {
  const tokens = tokenReader(text);
  const value = readOr(tokens, 1);
  const rest = tokens.peek();
  if (rest.kind !== "end") throw unexpected(rest, "AND, OR or the end");
  return conditionOf(value);
}

function readOr(tokens: TokenReader, depth: number): Value {
  const { at } = tokens.peek();
  const first = readAnd(tokens, depth);
  if (!tokens.isWord("OR")) return first;
  const any = [conditionOf(first)];
  while (tokens.takeWord("OR")) any.push(conditionOf(readAnd(tokens, depth)));
  return { kind: "condition", is: { any }, at };
}

function readAnd(tokens: TokenReader, depth: number): Value {
  const { at } = tokens.peek();
  const first = readNot(tokens, depth);
  if (!tokens.isWord("AND")) return first;
  const all = [conditionOf(first)];
  while (tokens.takeWord("AND")) all.push(conditionOf(readNot(tokens, depth)));
  return { kind: "condition", is: { all }, at };
}

function readNot(tokens: TokenReader, depth: number): Value {
  const { at } = tokens.peek();
  if (!tokens.takeWord("NOT")) return readPredicate(tokens, depth);
  requireDepth(depth, at);
  return { kind: "condition", is: negated(conditionOf(readNot(tokens, depth + 1))), at };
}

function readPredicate(tokens: TokenReader, depth: number): Value {
  const left = readPrimary(tokens, depth);
  const { kind, text, at } = tokens.peek();
  if (kind === "symbol" && isOperator(text)) {
    tokens.next();
    const right = operandOf(readPrimary(tokens, depth));
    return { kind: "condition", is: compared(operandOf(left), text, right), at };
  }
  if (tokens.takeWord("IS")) {
    const isNot = tokens.takeWord("NOT");
    tokens.requireWord("NULL");
    const is = isNull(operandOf(left));
    return { kind: "condition", is: isNot ? negated(is) : is, at };
  }
  const isNot = tokens.takeWord("NOT");
  const is = readComparison(tokens, left, depth);
  if (is === null && isNot) throw unexpected(tokens.peek(), "LIKE, BETWEEN or IN");
  return is === null ? left : { kind: "condition", is: isNot ? negated(is) : is, at };
}

function readComparison(tokens: TokenReader, left: Value, depth: number): Expression | null {
  const next = () => operandOf(readPrimary(tokens, depth));
  if (tokens.takeWord("LIKE")) return like(operandOf(left), next());
  // No CQL2, but a word of OGR's SQL that GDAL passes on.
  if (tokens.takeWord("ILIKE")) return like(operandOf(left), next(), true);
  if (tokens.takeWord("BETWEEN")) {
    const low = next();
    tokens.requireWord("AND");
    return between(operandOf(left), low, next());
  }
  return tokens.takeWord("IN") ? oneOf(operandOf(left), bracketed(tokens, next)) : null;
}

/** A literal, a property, a function, or anything in brackets. */
function readPrimary(tokens: TokenReader, depth: number): Value {
  const token = tokens.peek();
  const { kind, text, at } = token;
  if (tokens.takeSymbol("(")) {
    requireDepth(depth, at);
    const value = readOr(tokens, depth + 1);
    tokens.require(")");
    return value;
  }
  if (kind === "symbol" && (text === "-" || text === "+")) return readSigned(tokens, depth);
  if (kind === "number") return { kind, value: readNumber(tokens), at };
  if (kind === "name" && isGeometryName(text)) {
    return { kind: "geometry", geometry: readGeometry(tokens, depth), at };
  }
  if (kind === "name" && tokens.isSymbol("(", 1)) return readFunction(tokens, depth);
  tokens.next();
  if (kind === "text") return { kind, value: text, at };
  if (kind === "quoted") return { kind: "property", name: text, at };
  if (kind !== "name") throw unexpected(token, "a condition, property or literal");
  const word = text.toUpperCase();
  if (word === "TRUE" || word === "FALSE") return { kind: "boolean", value: word === "TRUE", at };
  return { kind: "property", name: text, at };
}

/** QGIS puts brackets around the number behind a sign. */
function readSigned(tokens: TokenReader, depth: number): Operand {
  const { text, at } = tokens.peek();
  if (!tokens.isSymbol("(", 1)) return { kind: "number", value: readNumber(tokens), at };
  tokens.next();
  const number = readPrimary(tokens, depth);
  if (number.kind !== "number") throw new Cql2Fault("a number is expected here", number.at);
  return { kind: "number", value: text === "-" ? -number.value : number.value, at };
}

function readFunction(tokens: TokenReader, depth: number): Value {
  const { text, at } = tokens.next();
  requireDepth(depth, at);
  const name = text.toLowerCase();
  switch (name) {
    case "date":
    case "timestamp": {
      const [instant] = bracketed(tokens, () => readText(tokens));
      return { kind: name, text: instant?.value ?? "", at };
    }
    case "interval":
      return {
        kind: name,
        ends: pair(
          bracketed(tokens, () => readEnd(tokens)),
          at,
        ),
        at,
      };
    case "bbox":
      return { kind: name, numbers: bracketed(tokens, () => readNumber(tokens)), at };
  }
  const predicate = name === "s_intersects" ? intersects : temporalRelation(name);
  if (predicate === null) throw new Cql2Fault(`there is no function "${text}"`, at);
  const operands = bracketed(tokens, () => operandOf(readPrimary(tokens, depth + 1)));
  return { kind: "condition", is: predicate(...pair(operands, at)), at };
}

function readEnd(tokens: TokenReader): IntervalEnd {
  const { kind, text, at } = tokens.peek();
  if (kind !== "name" && kind !== "quoted") return readText(tokens);
  tokens.next();
  return { kind: "property", name: text, at };
}

function readText(tokens: TokenReader) {
  const token = tokens.next();
  if (token.kind !== "text") throw unexpected(token, "a text");
  return { kind: token.kind, value: token.text, at: token.at } as const;
}

/** What stands in a pair of brackets; `GEOMETRYCOLLECTION` holds geometries. */
const NAMES = new Map<string, { readonly type: string; readonly levels: number }>([
  ["POINT", { type: "Point", levels: 0 }],
  ["LINESTRING", { type: "LineString", levels: 1 }],
  ["POLYGON", { type: "Polygon", levels: 2 }],
  ["MULTIPOINT", { type: "MultiPoint", levels: 1 }],
  ["MULTILINESTRING", { type: "MultiLineString", levels: 2 }],
  ["MULTIPOLYGON", { type: "MultiPolygon", levels: 3 }],
  ["GEOMETRYCOLLECTION", { type: "GeometryCollection", levels: 0 }],
]);

const isGeometryName = (word: string): boolean => NAMES.has(word.toUpperCase());

/** A literal as GeoJSON, from its name on. @throws Cql2Fault */
function readGeometry(tokens: TokenReader, depth: number): unknown {
  const token = tokens.next();
  const named = NAMES.get(token.text.toUpperCase());
  if (token.kind !== "name" || named === undefined) throw unexpected(token, "a geometry");
  requireDepth(depth, token.at);
  tokens.takeWord("Z");
  const { type, levels } = named;
  if (type === "GeometryCollection") {
    return { type, geometries: bracketed(tokens, () => readGeometry(tokens, depth + 1)) };
  }
  if (type === "Point") return { type, coordinates: inBrackets(tokens, () => readNumbers(tokens)) };
  return { type, coordinates: readLevels(tokens, levels, type === "MultiPoint") };
}

/** @param loose whether a place may have brackets of its own, as those of `MULTIPOINT` may */
function readLevels(tokens: TokenReader, levels: number, loose: boolean): unknown {
  return bracketed(tokens, () => {
    if (levels > 1) return readLevels(tokens, levels - 1, loose);
    return loose && tokens.isSymbol("(")
      ? inBrackets(tokens, () => readNumbers(tokens))
      : readNumbers(tokens);
  });
}

/** Items between brackets, with commas between. */
function bracketed<T>(tokens: TokenReader, read: () => T): T[] {
  return inBrackets(tokens, () => {
    const items = [read()];
    while (tokens.takeSymbol(",")) items.push(read());
    return items;
  });
}

function inBrackets<T>(tokens: TokenReader, read: () => T): T {
  tokens.require("(");
  const content = read();
  tokens.require(")");
  return content;
}

function readNumbers(tokens: TokenReader): number[] {
  const numbers = [readNumber(tokens)];
  while (!tokens.isSymbol(",") && !tokens.isSymbol(")")) numbers.push(readNumber(tokens));
  return numbers;
}

/** @throws Cql2Fault */
function readNumber(tokens: TokenReader): number {
  const sign = tokens.takeSymbol("-") ? -1 : 1;
  if (sign === 1) tokens.takeSymbol("+");
  const token = tokens.next();
  if (token.kind !== "number") throw unexpected(token, "a number");
  const value = sign * Number(token.text);
  if (Number.isFinite(value)) return value;
  throw new Cql2Fault(`"${token.text}" is too large`, token.at);
}

type TokenReader = ReturnType<typeof tokenReader>;

/** Reads tokens one after the other. Words count without case. @throws Cql2Fault */
function tokenReader(text: string) {
  const tokens = tokensOf(text);
  let place = 0;
  const END: Token = { kind: "end", text: "", at: text.length + 1 };
  const peek = (further = 0): Token => tokens[place + further] ?? END;
  const isSymbol = (symbol: string, further = 0) =>
    peek(further).kind === "symbol" && peek(further).text === symbol;
  const isWord = (word: string, further = 0) =>
    peek(further).kind === "name" && peek(further).text.toUpperCase() === word;
  const next = (): Token => {
    const token = peek();
    place += 1;
    return token;
  };
  const take = (isNext: boolean): boolean => {
    if (isNext) place += 1;
    return isNext;
  };
  return {
    peek,
    next,
    isSymbol,
    isWord,
    takeSymbol: (symbol: string) => take(isSymbol(symbol)),
    takeWord: (word: string) => take(isWord(word)),
    require(symbol: string): void {
      if (!take(isSymbol(symbol))) throw unexpected(peek(), `"${symbol}"`);
    },
    requireWord(word: string): void {
      if (!take(isWord(word))) throw unexpected(peek(), word);
    },
  };
}

function unexpected({ kind, text, at }: Token, expected: string): Cql2Fault {
  const found = kind === "end" ? "the end" : `"${text}"`;
  return new Cql2Fault(`${expected} is expected, not ${found}`, at);
}
