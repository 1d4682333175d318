import { Cql2Fault } from "./cql2-fault.ts";
import { type TokenReader, unexpected } from "./token-reader.ts";
import { requireDepth } from "./value.ts";

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

export const isGeometryName = (word: string): boolean => NAMES.has(word.toUpperCase());

/** A literal as GeoJSON, from its name on. @throws Cql2Fault */
export function readGeometry(tokens: TokenReader, depth: number): unknown {
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
export function bracketed<T>(tokens: TokenReader, read: () => T): T[] {
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
export function readNumber(tokens: TokenReader): number {
  const sign = tokens.takeSymbol("-") ? -1 : 1;
  if (sign === 1) tokens.takeSymbol("+");
  const token = tokens.next();
  if (token.kind !== "number") throw unexpected(token, "a number");
  const value = sign * Number(token.text);
  if (Number.isFinite(value)) return value;
  throw new Cql2Fault(`"${token.text}" is too large`, token.at);
}
