/** Lines of ISF, and what they leave out of their objects, counted. */

import { createHash } from "node:crypto";
import type { Bulletin, Foreign, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { isNumeric } from "#contracts/seismic-event/written-numbers.ts";
import { isServiceId } from "../bulletin/members.ts";
import { preferredOrigin } from "../bulletin/parts.ts";
import { decimalNumber, shiftDecimal } from "../written-values.ts";
import {
  blockBegunBy,
  CENTROID,
  commentIn,
  isMessageLine,
  MECHANISM_HEADERS,
  ORIGIN_ID,
  PREFERRED,
  PRIME,
  titleIn,
} from "./blocks.ts";
import {
  type Column,
  type Draft,
  isOwn,
  type LineObjects,
  nameOf,
  ORIGIN,
  ownText,
  valueAt,
} from "./columns.ts";

/**
 * The line of some objects, without blanks at its end. Numbers have the digits of the format, fewer where
 * the columns are too narrow; what does not fit is left out; both are counted.
 * @param scale the power of ten that the line names
 */
export function writeColumns(
  columns: readonly Column[],
  objects: LineObjects,
  losses: Losses,
  scale = 0,
): string {
  let line = "";
  for (const column of columns) {
    const value = valueAt(objects, column);
    const cell = cellOf(column, value, objects, losses, scale);
    if (cell === undefined) continue;
    const width = column.to - column.from + 1;
    if (cell === null || cell.length > width) {
      lose(losses.values, column.object);
      continue;
    }
    line = line.padEnd(column.from - 1);
    // Ids begin their columns, since some readers know only the first eight of eleven.
    const isNumber = column.kind === "real" || column.kind === "integer";
    line += isNumber ? cell.padStart(width) : cell.padEnd(width);
  }
  return line.trimEnd();
}

/** Undefined for no value, null for one that the columns cannot hold. */
function cellOf(
  column: Column,
  value: unknown,
  objects: LineObjects,
  losses: Losses,
  scale: number,
): string | null | undefined {
  const { kind, isForeign, codes = {} } = column;
  if (kind === "code" && !isForeign) return letterOf(column, value, objects);
  if (value === undefined || value === "") return undefined;
  const text = String(value);
  switch (kind) {
    case "code":
      return text in codes ? text : null;
    case "integer":
      return /^-?\d+$/.test(text) ? text : null;
    case "real":
      if (isForeign) return isNumeric(text) ? text : null;
      return typeof value === "number" ? realOf(column, value, losses, scale) : null;
    case "text":
      return isWord(text) ? text : null;
  }
}

/** Whether a real number fits into its columns, `at` being the place of its value. */
export function holds(columns: readonly Column[], at: string, value: number): boolean {
  const column = columns.find((one) => placeOf(one) === at);
  return column !== undefined && realOf(column, value, noLosses(), 0) !== null;
}

/** Whether a line that was written has values at places that it needs. */
export function hasCells(
  line: string,
  columns: readonly Column[],
  places: readonly string[],
): boolean {
  const needed = columns.filter((column) => places.includes(placeOf(column)));
  return needed.every(({ from, to }) => line.slice(from - 1, to).trim() !== "");
}

function placeOf({ object, path }: Column): string {
  return [object, ...path].join(".");
}

/** The letter of a value, else the letter without meaning that was given. */
function letterOf(column: Column, value: unknown, objects: LineObjects): string | null | undefined {
  const { codes = {}, object } = column;
  const given = ownText(objects[object], nameOf(column));
  if (value === undefined || value === false)
    return given !== undefined && isWord(given) ? given : undefined;
  return Object.keys(codes).find((letter) => codes[letter] === value) ?? null;
}

/** True for what is read again as it is: no blanks, no marks for unknown values. */
function isWord(text: string): boolean {
  return /^[^\s\p{Cc}]+$/u.test(text) && !/^\?+$/.test(text) && commentIn(text) === null;
}

function realOf(
  { from, to, digits = 0, places = 0, isScaled }: Column,
  value: number,
  losses: Losses,
  scale: number,
): string | null {
  const shift = places + (isScaled ? scale : 0);
  const decimal = shiftDecimal(String(value), -shift);
  if (decimal === null) return null;
  const width = to - from + 1;
  const narrow = decimalIn(width, digits, Number(decimal));
  if (narrow === null) return null;
  // What is rounded to fewer digits may have room for all of them then.
  const text = decimalIn(width, digits, Number(narrow)) ?? narrow;
  if (decimalNumber(shiftDecimal(text, shift) ?? "", 0) !== value) losses.rounded++;
  return text;
}

/** A number with at most `digits` in its fraction, null where it is too long without any. */
function decimalIn(width: number, digits: number, value: number): string | null {
  for (let fraction = digits; fraction >= 0; fraction--) {
    const text = value.toFixed(fraction).replace(/^-(?=0(?:\.0*)?$)/, "");
    if (text.length <= width && isNumeric(text)) return text;
  }
  return null;
}

const TEXT_ALONE: Held = new Map([["text", () => true]]);

/** Words that would say something else when they are read again. */
const KEYWORDS = [
  PRIME,
  CENTROID,
  ORIGIN_ID,
  PREFERRED,
  ...Object.keys(MECHANISM_HEADERS).map((part) => `#${part}`),
];

/** Comments below the line that they are about. */
export function writeComments(
  comments: readonly { readonly text: string }[] | undefined,
  kind: string,
  losses: Losses,
): string {
  let lines = "";
  for (const comment of comments ?? []) {
    lose(losses.values, `comments of ${kind}`, countLeft(comment, TEXT_ALONE));
    const [first = "", ...more] = comment.text.split(/\r\n?|\n/);
    const isKeyword = /^(?:[+]|#\s)/.test(first) || KEYWORDS.some((word) => first.startsWith(word));
    lines += ` (${isKeyword ? " " : ""}${first})\n`;
    for (const line of more) lines += ` (+${line})\n`;
  }
  return lines;
}

/** Whether a line below its header is read again as a line of that block. */
export function isLineOfBlock(text: string): boolean {
  return (
    text.trim() !== "" &&
    !/[\r\n]/.test(text) &&
    blockBegunBy(text) === null &&
    titleIn(text) === null &&
    !isMessageLine(text)
  );
}

type Created = { readonly creationInfo?: { readonly author?: string; readonly agencyID?: string } };

/**
 * Who is named in an author's columns: ISF's authors are agencies, so an author is named only where there
 * is no agency. One that does not fit is left out: a person instead of it would be read as an agency.
 */
function authorOf({ creationInfo = {} }: Created): string | undefined {
  return creationInfo.agencyID ?? creationInfo.author;
}

/** The object as its line is made of it: with the one who is named. */
export function withAuthor(object: Created): Draft {
  const author = authorOf(object);
  return { ...object, ...(author !== undefined && { creationInfo: { author } }) };
}

/** The object without the name that its line has, for counting the rest. */
export function withoutAuthor<T extends Created>(object: T): T {
  if (object.creationInfo === undefined) return object;
  const named = authorOf(object);
  const others = Object.entries(object.creationInfo).filter(
    ([name, text]) => (name !== "author" && name !== "agencyID") || text !== named,
  );
  return { ...object, creationInfo: Object.fromEntries(others) };
}

/** For the members that lines hold: of names, only the one that `withoutAuthor` takes away. */
export const NO_OTHER_AUTHOR = { "creationInfo.author": () => false };

type IsHeld = (value: unknown) => boolean;

/** The members of an object that its lines hold, by their paths, and `#name` of foreign elements. */
type Held = ReadonlyMap<string, IsHeld>;

const anything: IsHeld = () => true;

/**
 * What columns hold of an object, and what else its lines do.
 * @param more paths of which any value is held, or only one that satisfies a condition
 */
export function heldBy(
  columns: readonly Column[],
  object: string,
  more: Readonly<Record<string, IsHeld | true>> = {},
): Held {
  const held = new Map<string, IsHeld>();
  for (const column of columns.filter((one) => one.object === object)) {
    if (!column.isForeign) held.set(column.path.join("."), anything);
    if (column.isForeign || column.kind === "code") held.set(`#${nameOf(column)}`, anything);
  }
  for (const [path, condition] of Object.entries(more)) {
    held.set(path, condition === true ? anything : condition);
  }
  return held;
}

const NOTHING: Held = new Map();

/** How many simple values of an object, and of what is in it, are not held. */
export function countLeft(object: object, held: Held = NOTHING, path = ""): number {
  let count = 0;
  for (const [name, value] of Object.entries(object)) {
    if (name === "foreign") count += countForeign(value as readonly Foreign[], held);
    else count += countValue(value, held, path === "" ? name : `${path}.${name}`);
  }
  return count;
}

/** As `countLeft`, of a list of objects. */
export function countLeftIn(objects: readonly object[], held: Held = NOTHING): number {
  return objects.reduce((sum, object) => sum + countLeft(object, held), 0);
}

function countValue(value: unknown, held: Held, path: string): number {
  if (value === undefined || held.get(path)?.(value) === true) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + countValue(item, held, path), 0);
  }
  return typeof value === "object" && value !== null ? countLeft(value, held, path) : 1;
}

function countForeign(elements: readonly Foreign[], held: Held): number {
  return elements.reduce((sum, element) => {
    const { name, attributes = [], children = [] } = element;
    const isHeld = isOwn(element) && held.has(`#${name}`);
    return sum + (isHeld ? 0 : 1) + attributes.length + countForeign(children, NOTHING);
  }, 0);
}

/** What a bulletin has and its lines do not. */
export type Losses = {
  /** Whole objects by QuakeML's name of their kind. */
  readonly objects: Map<string, number>;
  /** Single values by the kind of their object. */
  readonly values: Map<string, number>;
  /** Numbers and times of which the columns have room for fewer digits. */
  rounded: number;
  /** Given ids that do not fit, for which others stand. */
  ids: number;
};

export function noLosses(): Losses {
  return { objects: new Map(), values: new Map(), rounded: 0, ids: 0 };
}

export function lose(tally: Map<string, number>, kind: string, count = 1): void {
  if (count > 0) tally.set(kind, (tally.get(kind) ?? 0) + count);
}

/** Comments that tell people what is not in the file, one to a line; "" where all is. */
export function lossLines({ objects, values, rounded, ids }: Losses): string {
  const lines = [
    ["not written", listed(objects)],
    ["values not written", listed(values)],
    ["values rounded to the columns", rounded],
    ["ids replaced by shorter ones", ids],
  ];
  return lines.map(([what, count]) => (count ? ` (${what}: ${count})\n` : "")).join("");
}

function listed(tally: ReadonlyMap<string, number>): string {
  return [...tally].map(([kind, count]) => `${count} of ${kind}`).join(", ");
}

export type Origin = QuakemlObject<"Origin">;
export type Pick = QuakemlObject<"Pick">;
export type Arrival = QuakemlObject<"Arrival">;
export type Amplitude = QuakemlObject<"Amplitude">;
export type StationMagnitude = QuakemlObject<"StationMagnitude">;
export type Mechanism = QuakemlObject<"FocalMechanism">;

/** An event while it is written. */
export type WritingEvent = ReturnType<typeof writingEvent>;

export function writingEvent(bulletin: Bulletin, losses: Losses) {
  const { origin: all = [], pick = [], focalMechanism = [] } = bulletin;
  const origins = all.filter(isWritable);
  const lost = all.filter((origin) => !origins.includes(origin));
  lose(losses.objects, "origin", lost.length);
  lose(losses.objects, "arrival", lost.flatMap(({ arrival = [] }) => arrival).length);
  const originIds = createShortIds(all.map(({ publicID }) => publicID));
  return {
    bulletin,
    /** Those with a time, and a place that fits. */
    origins,
    /** The one whose time, place and arrivals the row shows. */
    preferred: preferredOrigin(bulletin, origins, focalMechanism) as Origin | undefined,
    /** Of references to origins, which mean the first with an id. */
    originIds,
    /** The id of an origin itself, which only it has. */
    idOf: ownIds(origins, originIds, losses),
    pickIds: createShortIds(pick.map(({ publicID }) => publicID)),
    losses,
  };
}

function isWritable({ time, latitude, longitude }: Origin): boolean {
  return (
    parseTime(time.value) !== null &&
    holds(ORIGIN, "origin.latitude.value", latitude.value) &&
    holds(ORIGIN, "origin.longitude.value", longitude.value)
  );
}

/** Of several origins with one id the first has it, since references mean that one. */
function ownIds(
  origins: readonly Origin[],
  ids: ReturnType<typeof createShortIds>,
  losses: Losses,
) {
  const firsts = new Map(origins.toReversed().map((origin) => [origin.publicID, origin]));
  const others = origins.filter((origin) => firsts.get(origin.publicID) !== origin);
  const own = new Map(others.map((origin) => [origin, ids.fresh()]));
  losses.ids += own.size;
  return (origin: Origin) => own.get(origin) ?? ids.of(origin.publicID);
}

/** ISF 2.1 has eleven columns; parentheses would close comments, marks alone stand for nothing. */
const FITTING = /^(?!\?+$)[!-'*-~]{1,11}$/;
const SEPARATORS = /[/=#?]/;
/** IMS1.0's eight columns, which all readers take. */
const SHORT = /^[\w.-]{1,8}$/;
const SHORT_LENGTH = 8;

/**
 * Ids as they fit into the columns: as they are, else the end of their path, else some digits of their
 * hash.
 * @param ids all of one kind in an event
 */
function createShortIds(ids: readonly string[]) {
  const taken = new Set(ids.filter((id) => FITTING.test(id)));
  const known = new Map<string, string>();
  const replaced = new Set<string>();
  let last = 0;

  function shorten(id: string): string {
    const tail = tailOf(id);
    if (SHORT.test(tail) && !taken.has(tail)) return tail;
    for (let attempt = 0; ; attempt++) {
      const digits = hashed(`${id}${attempt === 0 ? "" : attempt}`);
      if (!taken.has(digits)) return digits;
    }
  }

  function shortened(id: string): string {
    const short = known.get(id) ?? shorten(id);
    known.set(id, short);
    taken.add(short);
    return short;
  }

  for (const id of ids) if (!FITTING.test(id)) shortened(id);
  return {
    /** The id as it is written, always the same for one id. */
    of(id: string): string {
      if (FITTING.test(id)) return id;
      if (!isServiceId(id)) replaced.add(id);
      return shortened(id);
    },
    /** An id that nothing else has. */
    fresh(): string {
      do last++;
      while (taken.has(String(last)));
      taken.add(String(last));
      return String(last);
    },
    /** How many ids of the bulletin are written as others. */
    replaced: () => replaced.size,
  };
}

/** An event's id without blanks: as it is, else the end of its path, else digits of its hash. */
export function shortEventId(id: string): string {
  if (FITTING.test(id)) return id;
  const tail = tailOf(id);
  return FITTING.test(tail) ? tail : hashed(id);
}

function tailOf(id: string): string {
  return id.split(SEPARATORS).at(-1) ?? "";
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, SHORT_LENGTH);
}
