import type { Random } from "../support/random.ts";
import type { ApiDocument, Schema } from "./api-document.ts";
import type { Kind, KnownIds } from "./known-ids.ts";

/** Text that stands in a JSON document as it is. */
export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Stands for a raw text until the document is written; no other value holds it. */
const PLACE = "\u{f0000}raw";

export function writeJson(value: unknown): string {
  const raw: string[] = [];
  const json = JSON.stringify(value, (_, member: unknown) => {
    if (!(member instanceof RawJson)) return member;
    raw.push(member.text);
    return PLACE;
  });
  return (json ?? "").replaceAll(`"${PLACE}"`, () => raw.shift() ?? "");
}

/** Texts that parsers, databases, terminals and spreadsheets have stumbled over. */
const TEXTS: readonly string[] = [
  ...["", " ", "\t\n\v\f\r", "\0", "a\0b", "\ud800", "\udfff\ud800", "\uffff\ufeff\u200b"],
  ...["\u202etxt.exe", "\u0085\u2028\u2029"],
  "😀".repeat(300),
  "e\u0301".repeat(2_000),
  ...["İıſK", "__proto__", "constructor", "prototype", "toString", "hasOwnProperty"],
  ...["' OR 1=1 --", "\\'; drop table catalogues; --", "%", "%00", "%ff%fe", "%c0%ae"],
  ...["../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "<script>alert(1)</script>"],
  "=HYPERLINK(1)",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what loggers have been attacked with
  ...["${jndi:ldap://127.0.0.1/a}", "a\r\nx-injected: 1", "null", "undefined", "true", "[]"],
  ...["{}", "[object Object]", "NaN", "Infinity", "-0", "1e400", "-1e-400", "0x10", "1_000", "٣"],
  ...["9007199254740993", "-9223372036854775809", "2147483648", "1.7976931348623157e309", "0.1e"],
  ...["+1", ".", "2024-13-45T99:99:99Z", "0000-00-00", "-000001-01-01T00:00:00Z"],
  ...["+275760-09-13T00:00:00.001Z", "9999-12-31T23:59:60.9999999Z", "2024-02-30"],
  ...["2024-01-01T00:00:00+99:99", "now()", "00000000-0000-0000-0000-000000000000"],
  ...["ffffffff-ffff-ffff-ffff-ffffffffffff", "550e8400e29b41d4a716446655440000", "a@b"],
  "a@b@c.d",
  `${"a".repeat(300)}@example.org`,
  "Bearer",
  "*",
  'W/"1"',
  '"1-',
];

/** Texts whose length is what is hostile. */
const LONG: readonly ((random: Random) => string)[] = [
  (random) => "a".repeat(10 ** (3 + random.below(3))),
  (random) => "9".repeat(10 ** (2 + random.below(3))),
  (random) => "<!---->".repeat(10 ** (2 + random.below(2))),
  (random) => ",".repeat(10 ** (2 + random.below(3))),
  (random) => `${" ".repeat(10 ** (3 + random.below(2)))}x`,
  (random) => `${"0".repeat(10 ** (3 + random.below(2)))}.`,
  (random) => "?token=".repeat(10 ** (2 + random.below(2))),
];

const NUMBERS: readonly number[] = (
  "0 -0 -1 0.5 1 90.0001 -180.0001 1e-320 5e-324 1e21 1e308 -1e308 2147483648 " +
  "9007199254740992 -9007199254740992 9223372036854775808"
)
  .split(" ")
  .map(Number);

/** What no serialiser writes. */
const RAW: readonly string[] = [
  ...["1e999", "-1e999", "-", "01", "1.", ".5", "NaN", "'a'", "undefined", '"\\ud800"'],
  ...['"\\u0000"', '"\\x41"', '{"__proto__":{"polluted":true}}'],
  ...['{"constructor":{"prototype":{"polluted":true}}}', '{"a":1,"a":2}'],
  "[".repeat(5_000),
  `${"[".repeat(500)}${"]".repeat(500)}`,
  `${'{"a":'.repeat(500)}1${"}".repeat(500)}`,
  `[${"0,".repeat(20_000)}0]`,
  "123456789".repeat(100),
];

export function hostileText(random: Random): string {
  return random.chance(0.15) ? random.pick(LONG)(random) : random.pick(TEXTS);
}

/** Any value of JSON, and some that are none. */
export function hostileValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick(NUMBERS);
    case 3:
      return new RawJson(random.pick(RAW));
    case 4:
      return [hostileText(random), null, random.pick(NUMBERS)];
    case 5:
      return { [hostileText(random)]: hostileText(random), id: null };
    default:
      return hostileText(random);
  }
}

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
