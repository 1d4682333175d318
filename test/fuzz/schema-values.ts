import type { ApiDocument, Schema } from "./api-document.ts";
import type { Kind, KnownIds } from "./known-ids.ts";
import type { Random } from "./random.ts";

export type ValueDeps = {
  readonly random: Random;
  readonly document: ApiDocument;
  readonly known: KnownIds;
  /** Objects around the value; 0 by default. */
  readonly depth?: number;
};

const DAY_MS = 86_400_000;
const OPTIONAL_SHARE = 0.5;
/** Objects within so many others have ever fewer optional members: a schema may hold itself. */
const WIDE_DEPTH = 3;
const MAX_ITEMS = 4;
const WORDS = ["Kaikōura", "catalogue", "a", "Cook Strait, 2021", "editor", "final", "Mw", "x y z"];
/** CQL2, and what is nearly that. */
const FILTERS = [
  "magnitude >= 3 AND NOT depth IS NULL OR time > DATE('2020-01-01')",
  "region LIKE '%_\\\\%' AND event_type NOT IN ('it''s', 'explosion')",
  "S_INTERSECTS(geometry,POLYGON((170 -50,190 -50,190 90,170 90,170 -50),(175 -45,176 -45,176 -44,175 -45)))",
  "T_DURING(INTERVAL(time,'..'),INTERVAL('0001-01-01','9999-12-31')) OR NOT s_intersects(geometry,BBOX(170,-90,-1e6,-170,90,1e6))",
  '{"op":"or","args":[{"op":"in","args":[{"property":"depth"},[1e308,-0]]},{"op":"not","args":[true]}]}',
  "(((true) AND depth < -( +(1e-300)))",
];
/** Values by the names of what takes them: a schema alone says little of a text. */
const BY_NAME: readonly (readonly [RegExp, (deps: ValueDeps) => unknown])[] = [
  [/^filter$/, ({ random }) => random.pick(FILTERS)],
  [/time|date|asof|^at$|before|after/i, ({ random }) => isoTime(random)],
  [/email/i, ({ random }) => `fuzz${random.below(1000)}@example.org`],
  [/password/i, ({ random }) => `a long password ${random.below(3)}`],
  [/cursor/i, ({ random, known }) => known.one("cursors", random) ?? "e30"],
  [/if-match/i, ({ random, known }) => known.one("tags", random) ?? '"1"'],
  [/^prefer$/i, () => "respond-async"],
  [/token/i, ({ random }) => random.below(2 ** 31).toString(16)],
];

function isoTime(random: Random): string {
  return new Date(Date.now() - random.below(2 * DAY_MS)).toISOString();
}

/** A value that the schema allows, as far as it tells. */
export function validValue(schema: Schema, name: string, deps: ValueDeps): unknown {
  const { random, document } = deps;
  const own = document.resolve(schema);
  if (Array.isArray(own["enum"])) return random.pick(own["enum"]);
  if ("const" in own) return own["const"];
  const choices = own["anyOf"] ?? own["oneOf"] ?? own["allOf"];
  if (Array.isArray(choices)) return validValue(random.pick(choices) as Schema, name, deps);
  const { type } = own;
  switch (Array.isArray(type) ? type[0] : type) {
    case "integer":
      return Math.round(numberWithin(own, random));
    case "number":
      return numberWithin(own, random);
    case "boolean":
      return random.chance(0.5);
    case "string":
      return textOf(own, name, deps);
    case "array":
      return listOf(own, name, deps);
    case "object":
      return objectOf(own, deps);
    default:
      return textOf(own, name, deps);
  }
}

function numberWithin(schema: Schema, random: Random): number {
  const from = Math.max(Number(schema["minimum"] ?? -10), -180);
  const to = Math.min(Number(schema["maximum"] ?? from + 100), 1_000);
  return Math.round((from + (random.below(1_001) / 1_000) * (to - from)) * 100) / 100;
}

function textOf(schema: Schema, name: string, deps: ValueDeps): unknown {
  const { random, known } = deps;
  const kind: Kind = /event/i.test(name) ? "events" : "catalogues";
  if (schema["format"] === "uuid") return known.one(kind, random) ?? crypto.randomUUID();
  const made = BY_NAME.find(([pattern]) => pattern.test(name))?.[1](deps);
  if (made !== undefined) return made;
  return random.pick(WORDS);
}

function listOf(schema: Schema, name: string, deps: ValueDeps): unknown[] {
  const { random } = deps;
  const places = schema["prefixItems"];
  if (Array.isArray(places)) return places.map((place) => validValue(place, name, deps));
  const least = Number(schema["minItems"] ?? 0);
  const items = (schema["items"] ?? {}) as Schema;
  const length = least + random.below(MAX_ITEMS);
  return Array.from({ length }, () => validValue(items, name, deps));
}

function objectOf(schema: Schema, deps: ValueDeps): Record<string, unknown> {
  const { random, depth = 0 } = deps;
  const required = new Set((schema["required"] ?? []) as string[]);
  const members = Object.entries((schema["properties"] ?? {}) as Record<string, Schema>);
  const share = OPTIONAL_SHARE / 4 ** Math.max(0, depth + 1 - WIDE_DEPTH);
  const wanted = members.filter(([name]) => required.has(name) || random.chance(share));
  const inner = { ...deps, depth: depth + 1 };
  return Object.fromEntries(
    wanted.map(([name, member]) => [name, validValue(member, name, inner)]),
  );
}
