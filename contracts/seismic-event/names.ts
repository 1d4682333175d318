import { KILOMETRES_TO_METRES } from "../units.ts";
import { ATTRIBUTES, type Attribute, type AttributeName, TIME_ALIASES } from "./attributes.ts";
import {
  isMagnitudeType,
  isNumeric,
  isUnitNotRead,
  magnitudeTypeOfName,
  movedPoint,
  placesOfUnit,
} from "./written-numbers.ts";

/** What a name says beside what it names: `km` in `Depth (km)`, `UTC` in `utc_time`. */
type QualifiedName = {
  readonly base: string;
  readonly qualifier: { readonly text: string; readonly inBrackets: boolean };
};

/** What a qualifier means for a field; `fault` says in a few words why its values cannot be read. */
type Qualifier =
  | { readonly places?: number; readonly magnitudeType?: string }
  | { readonly fault: string };

const BRACKETS: Readonly<Record<string, string>> = {
  ")": "(",
  "]": "[",
  "}": "{",
  "）": "（",
  "］": "［",
};
const UTC = new Set("utc gmt ut utc0 utc+0 utc+00:00 gmt+0 z zulu universal".split(" "));
/** Zones that names of columns have without brackets, where any other word is no zone. */
const ZONES = new Set(
  "local lt lmt jst kst ist cst bjt hkt wib est edt cdt mst mdt pst pdt akst hst cet cest eet eest msk trt nzst nzdt nzt aest aedt".split(
    " ",
  ),
);
/** Formats of times and what is said of columns of numbers. */
const IS_FORMAT = /^iso|yy|h:?m|^24|^m?s$/i;
const SAYS_NOTHING = /^(?:wgs.*|decimal.*|°?[ne])$/i;

/** The ways to take a name apart: `Depth (km)`, `depth_km`, `Depth in m`, `UTC Time`, `DepthKm`. */
function qualifiedNames(name: string): QualifiedName[] {
  const own = name.trim();
  const open = BRACKETS[own.slice(-1)];
  if (open !== undefined) {
    const start = own.lastIndexOf(open);
    if (start < 0) return [];
    const qualifier = { text: own.slice(start + 1, -1).trim(), inBrackets: true };
    return [{ base: own.slice(0, start), qualifier }];
  }
  const words = own.split(/[\s_\-./,]+/).filter((word) => word !== "");
  const [, hump = "", unit = ""] = /^(.*[a-z])(K?M|Km|Ft|Feet|Miles|U[Tt][Cc])$/.exec(own) ?? [];
  if (hump !== "") return [{ base: hump, qualifier: { text: unit, inBrackets: false } }];
  if (words.length < 2) return [];
  const [first = "", last = ""] = [words[0], words.at(-1)];
  const before = words.slice(0, -1);
  const base = (before.at(-1)?.toLowerCase() === "in" ? before.slice(0, -1) : before).join(" ");
  return [
    { base, qualifier: { text: last, inBrackets: false } },
    { base: words.slice(1).join(" "), qualifier: { text: first, inBrackets: false } },
  ];
}

/** Null for a qualifier that says nothing known of the field. */
function qualifierMeaning(
  field: string,
  { text, inBrackets }: QualifiedName["qualifier"],
): Qualifier | null {
  if (text === "") return inBrackets ? {} : null;
  if (field === "time" || field === "date") return zoneMeaning(text, inBrackets);
  if (!Object.hasOwn(ATTRIBUTES, field)) return null;
  const name = field as AttributeName;
  const { kind }: Attribute = ATTRIBUTES[name];
  if (kind !== "number" && kind !== "integer") return null;
  const places = placesOfUnit(name, text);
  if (places !== null) return { places };
  if (name === "magnitude" && isMagnitudeType(text)) {
    return text.length === 1 ? {} : { magnitudeType: magnitudeTypeOfName(text)?.name ?? text };
  }
  if (!inBrackets) return isUnitNotRead(text) ? { fault: `in ${text}` } : null;
  if (isUnitNotRead(text) || /^°?[sw]$/i.test(text)) return { fault: `in ${text}` };
  return SAYS_NOTHING.test(text) ? {} : null;
}

function zoneMeaning(text: string, inBrackets: boolean): Qualifier | null {
  const zone = text.toLowerCase().replaceAll(" ", "");
  if (UTC.has(zone)) return {};
  if (!inBrackets) return ZONES.has(zone) ? { fault: `in ${text}, not in UTC` } : null;
  return IS_FORMAT.test(text) ? {} : { fault: `in ${text}, not in UTC` };
}

/** The meaning of an input name. `date` is separate because it may be half of a time. */
export type Field = AttributeName | "time" | "date" | "focal_mechanisms" | "extra";

/**
 * `rank` orders several names of one field in an event: 0 is the canonical name, then the aliases.
 * `places`: the value times ten to this power has the attribute's unit.
 */
export type NameMeaning = {
  readonly field: Field;
  readonly rank: number;
  readonly places?: number;
  /** Of a magnitude whose name says its type. */
  readonly magnitudeType?: string;
};

/** SCEDC's names of date and time (`YYY/MM/DD`, `HH:mm:SS.ss`) are their formats. */
const WRITTEN_DATES = ["yyymmdd", "yyyymmdd"];
const WRITTEN_TIMES = ["hh:mm:ss", "hh:mm:ssss"];
/** QQuake's depth is in metres, as its name says. */
const DEPTHS_IN_METRES = ["depthmeters", "depthmetres", "depthm"];
const LAST_RANK = 99;
/** After a magnitude's untyped names. */
const TYPED_MAGNITUDE_RANK = 3;

const MEANINGS = nameMeanings();

/**
 * Names compare without regard to case, white space and `_ - . /`, which covers camelCase, and
 * without the mark-up at the end of a line that was copied from a page.
 */
export function normaliseName(name: string): string {
  return name
    .toLowerCase()
    .replace(/<br ?\/?>\s*$/, "")
    .replace(/[\s_\-./]/g, "");
}

/** The field of an input name; null for a foreign one, and for one whose values cannot be read. */
export function meaningOf(name: string): NameMeaning | null {
  const known = knownMeaning(name);
  if (known !== null) return known;
  for (const { base, qualifier } of qualifiedNames(name)) {
    const meaning = knownMeaning(base);
    const more = meaning && qualifierMeaning(meaning.field, qualifier);
    if (!more || "fault" in more) continue;
    const { rank } = meaning;
    return { ...meaning, ...more, rank: rank + 0.5 };
  }
  return null;
}

/**
 * The power of ten by which a column's name says that its values differ from a field's unit, whatever
 * else the name says; or what in the name cannot be read as that field.
 */
export function unitInName(name: string, field: string): Qualifier {
  const known = knownMeaning(name);
  if (known?.field === field) return { places: known.places ?? 0 };
  for (const { qualifier } of qualifiedNames(name)) {
    const meaning = qualifierMeaning(field, qualifier);
    if (meaning !== null) return meaning;
  }
  return {};
}

/** Whether a name says the unit of a field's values. */
export function saysUnit(name: string, field: AttributeName): boolean {
  const isInMetres = DEPTHS_IN_METRES.includes(normaliseName(name));
  const units = qualifiedNames(name).map(({ qualifier }) => placesOfUnit(field, qualifier.text));
  return (field === "depth" && isInMetres) || units.some((places) => places !== null);
}

/** What in a name keeps its times from being read: another zone than UTC. Null for other names. */
export function zoneInName(name: string): string | null {
  const unread = unreadInName(name);
  return unread !== null && isTime(unread.field) ? unread.fault : null;
}

/** The field that a name tells, and what in the name keeps its values from being read: a unit or a zone. */
export function unreadInName(name: string) {
  if (knownMeaning(name) !== null) return null;
  for (const { base, qualifier } of qualifiedNames(name)) {
    const field = knownMeaning(base)?.field;
    const meaning = field === undefined ? null : qualifierMeaning(field, qualifier);
    if (field !== undefined && meaning !== null && "fault" in meaning) {
      return { field, fault: meaning.fault };
    }
  }
  return null;
}

/** Remarks on the names whose values are not read for a unit or zone, where no other gives the field. */
export function remarksOnUnread(
  names: readonly string[],
  known: { readonly has: (field: Field) => boolean },
): string[] {
  return names.flatMap((name) => {
    const unread = unreadInName(name);
    if (unread === null || known.has(unread.field)) return [];
    const { field, fault } = unread;
    return [
      `The values of ${JSON.stringify(name)} are ${fault}, which is not read as ${field}; they are kept under extra`,
    ];
  });
}

function isTime(field: Field): boolean {
  return field === "time" || field === "date";
}

function knownMeaning(name: string): NameMeaning | null {
  const known = MEANINGS.get(normaliseName(name));
  if (known !== undefined) return known;
  const type = magnitudeTypeOfName(name);
  if (type === null) return null;
  const rank = TYPED_MAGNITUDE_RANK + type.rank;
  return { field: "magnitude", rank, magnitudeType: type.name };
}

function nameMeanings(): ReadonlyMap<string, NameMeaning> {
  const meanings = new Map<string, NameMeaning>();
  const add = (field: Field, names: readonly string[]) => {
    for (const [rank, name] of names.entries()) {
      const normalised = normaliseName(name);
      if (!meanings.has(normalised)) meanings.set(normalised, { field, rank });
    }
  };
  add("date", ["date", ...WRITTEN_DATES]);
  add("time", ["time", ...TIME_ALIASES, ...WRITTEN_TIMES]);
  add("focal_mechanisms", ["focal_mechanisms"]);
  add("extra", ["extra"]);
  const attributes = Object.entries(ATTRIBUTES) as [AttributeName, Attribute][];
  for (const [field] of attributes) add(field, [field]);
  for (const [field, { aliases = [] }] of attributes) add(field, [field, ...aliases]);
  for (const name of DEPTHS_IN_METRES) {
    meanings.set(name, { field: "depth", rank: LAST_RANK, places: -KILOMETRES_TO_METRES });
  }
  return meanings;
}

/** A number or decimal text, times ten to the power of `places`; others are returned unchanged. */
export function movePoint(value: unknown, places: number): unknown {
  if (typeof value !== "number" && typeof value !== "string") return value;
  const text = String(value).trim();
  if (!isNumeric(text)) return value;
  const moved = movedPoint(text, places);
  return typeof value === "number" ? Number(moved) : moved;
}

export type Implied = readonly (readonly [AttributeName, string])[];

/** Values of foreign names that imply values of our attributes. */
const IMPLIED: Readonly<Record<string, Readonly<Record<string, Implied>>>> = {
  // USGS's review status.
  status: {
    automatic: [["evaluation_mode", "automatic"]],
    reviewed: [
      ["evaluation_mode", "manual"],
      ["evaluation_status", "reviewed"],
    ],
    deleted: [["evaluation_status", "rejected"]],
  },
  // GeoNet's API; its other words for quality say nothing that is certain.
  quality: {
    automatic: [["evaluation_mode", "automatic"]],
    preliminary: [["evaluation_status", "preliminary"]],
    deleted: [["evaluation_status", "rejected"]],
  },
  // ISC's flag for a fixed depth.
  depfix: { true: [["depth_type", "operator assigned"]] },
};

const NOTHING: Implied = [];

/** Whether values under this name may imply attributes. */
export function mayImply(name: string): boolean {
  return Object.hasOwn(IMPLIED, normaliseName(name));
}

/** The attributes that a value implies, unless the event states them. */
export function impliedBy(name: string, value: unknown): Implied {
  const values = IMPLIED[normaliseName(name)];
  const key = String(value).trim().toLowerCase();
  return values !== undefined && Object.hasOwn(values, key) ? (values[key] ?? NOTHING) : NOTHING;
}

/**
 * The known name that is meant by another, as the end of a sentence: in another case, a letter or two off, or an
 * abbreviation (`minmag`) of one name with which all others begin that it abbreviates, as clients of event services
 * write. Empty for none.
 */
export function meantName(key: string, known: readonly string[]): string {
  const written = normaliseName(key);
  const longer = known.filter((name) => normaliseName(name).startsWith(written));
  const [abbreviated] = longer.filter((name) =>
    longer.every((other) => normaliseName(other).startsWith(normaliseName(name))),
  );
  const meant = abbreviated ?? nearestName(written, known);
  return written === "" || meant === undefined ? "" : `; do you mean ${meant}?`;
}

/** Longer ones are not misspelt names. */
const MAX_LENGTH = 40;

/** The name that is the fewest letters off: one of short names, two of others. */
function nearestName(written: string, known: readonly string[]): string | undefined {
  if (written.length > MAX_LENGTH) return undefined;
  const most = written.length <= 4 ? 1 : 2;
  const [nearest] = known
    .map((name) => ({ name, off: lettersOff(written, normaliseName(name)) }))
    .filter(({ off }) => off <= most)
    .sort((a, b) => a.off - b.off);
  return nearest?.name;
}

/** Letters to be added, left out, exchanged or swapped with the next (optimal string alignment). */
function lettersOff(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
