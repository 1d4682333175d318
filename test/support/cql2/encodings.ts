import type { Geometry, Instant, Literal, Spatial, Temporal, Tree } from "./tree.ts";

/** How a text is written, where the grammar leaves a choice; drawn one after the other. */
export type Taste = () => boolean;

/** CQL2 Text of a filter. */
export function textOf(tree: Tree, taste: Taste): string {
  const word = (keyword: string) => (taste() ? keyword.toUpperCase() : keyword.toLowerCase());
  const name = (property: string) => (taste() ? `"${property}"` : property);
  const not = (isNot: boolean) => (isNot ? `${word("not")} ` : "");
  const inner = (of: Tree) => `(${textOf(of, taste)})`;
  switch (tree.kind) {
    case "not":
      return `${word("not")} ${inner(tree.of)}`;
    case "and":
    case "or":
      return tree.of.map(inner).join(` ${word(tree.kind)} `);
    case "constant":
      return word(String(tree.is));
    case "compare": {
      const { operator, property, literal, isTurned } = tree;
      const [left, right] = [name(property), literalText(literal, taste)];
      return isTurned ? `${right}${turned(operator)} ${left}` : `${left} ${operator}${right}`;
    }
    case "like":
      return `${name(tree.property)} ${not(tree.isNot)}${word("like")} ${quoted(tree.pattern, taste)}`;
    case "between": {
      const [low, high] = [tree.low, tree.high].map((literal) => literalText(literal, taste));
      return `${name(tree.property)} ${not(tree.isNot)}${word("between")} ${low} ${word("and")} ${high}`;
    }
    case "in": {
      const list = tree.list.map((literal) => literalText(literal, taste)).join(", ");
      return `${name(tree.property)} ${not(tree.isNot)}${word("in")} (${list})`;
    }
    case "null":
      return `${name(tree.property)} ${word("is")} ${not(tree.isNot)}${word("null")}`;
    case "temporal":
      return `${word(tree.relation)}(${tree.operands.map((of) => temporalText(of, taste)).join(",")})`;
    case "spatial": {
      const operands = [name("geometry"), spatialText(tree.area, taste)];
      return `${word("s_intersects")}(${(tree.isTurned ? operands.reverse() : operands).join(" , ")})`;
    }
  }
}

function quoted(text: string, taste: Taste): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", taste() ? "''" : "\\'")}'`;
}

function literalText(literal: Literal, taste: Taste): string {
  if (typeof literal === "string") return quoted(literal, taste);
  if (typeof literal === "object") return instantText(literal, taste);
  if (taste()) return String(literal);
  return taste() ? literal.toExponential() : `${literal < 0 ? "" : "+"}${literal}`;
}

function instantText(instant: Instant, taste: Taste): string {
  const [kind, text] =
    "date" in instant ? ["date", instant.date] : ["timestamp", instant.timestamp];
  return `${taste() ? kind.toUpperCase() : kind}('${text}')`;
}

function temporalText(operand: Temporal, taste: Taste): string {
  if (operand === "time") return operand;
  if (!isInterval(operand)) return instantText(operand, taste);
  const ends = operand.map((end) => (end === "time" ? end : `'${end}'`));
  return `${taste() ? "INTERVAL" : "interval"}(${ends.join(",")})`;
}

const isInterval = (operand: Temporal): operand is readonly [string, string] =>
  Array.isArray(operand);

function spatialText(area: Spatial, taste: Taste): string {
  if ("bbox" in area) return `${taste() ? "BBOX" : "bbox"}(${area.bbox.join(",")})`;
  return wellKnownText(area, taste);
}

function wellKnownText(geometry: Geometry, taste: Taste): string {
  const name = taste() ? geometry.type.toUpperCase() : geometry.type.toLowerCase();
  if (geometry.type === "GeometryCollection") {
    return `${name}(${geometry.geometries.map((part) => wellKnownText(part, taste)).join(", ")})`;
  }
  if (geometry.type === "Point") return `${name}(${geometry.coordinates.join(" ")})`;
  const loose = geometry.type === "MultiPoint" && taste();
  return name + nested(geometry.coordinates, loose);
}

function nested(coordinates: readonly unknown[], loose: boolean): string {
  const items = coordinates.map((item) => {
    if (!Array.isArray(item)) return "";
    if (Array.isArray(item[0])) return nested(item, loose);
    return loose ? `(${item.join(" ")})` : item.join(" ");
  });
  return `(${items.join(",")})`;
}

/** CQL2 JSON of a filter. */
export function jsonOf(tree: Tree): unknown {
  const told = (op: string, isNot: boolean, args: readonly unknown[]) =>
    isNot ? { op: "not", args: [{ op, args }] } : { op, args };
  switch (tree.kind) {
    case "not":
      return { op: "not", args: [jsonOf(tree.of)] };
    case "and":
    case "or":
      return { op: tree.kind, args: tree.of.map(jsonOf) };
    case "constant":
      return tree.is;
    case "compare": {
      const args = [{ property: tree.property }, tree.literal];
      const { operator, isTurned } = tree;
      return isTurned ? { op: turned(operator), args: args.reverse() } : { op: operator, args };
    }
    case "like":
      return told("like", tree.isNot, [{ property: tree.property }, tree.pattern]);
    case "between":
      return told("between", tree.isNot, [{ property: tree.property }, tree.low, tree.high]);
    case "in":
      return told("in", tree.isNot, [{ property: tree.property }, tree.list]);
    case "null":
      return told("isNull", tree.isNot, [{ property: tree.property }]);
    case "temporal":
      return { op: tree.relation, args: tree.operands.map(temporalJson) };
    case "spatial": {
      const args = [{ property: "geometry" }, tree.area];
      return { op: "s_intersects", args: tree.isTurned ? args.reverse() : args };
    }
  }
}

function temporalJson(operand: Temporal): unknown {
  if (operand === "time") return { property: operand };
  if (!isInterval(operand)) return operand;
  return { interval: operand.map((end) => (end === "time" ? { property: end } : end)) };
}

function turned(operator: string): string {
  if (operator.startsWith("<") && operator !== "<>") return operator.replace("<", ">");
  return operator.startsWith(">") ? operator.replace(">", "<") : operator;
}

/** Drawn choices, over and over. */
export function tasteOf(choices: readonly boolean[]): Taste {
  let place = 0;
  return () => choices[place++ % choices.length] ?? true;
}
