import { LONGITUDES_WRAPPED, TURN, wrapLongitude } from "#contracts/geometry/globe.ts";
import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import type { NamedColumns } from "#contracts/seismic-event/columns.ts";
import { impliedBy, meaningOf, movePoint, saysUnit } from "#contracts/seismic-event/names.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import {
  type ColumnUnit,
  converted,
  isMagnitudeType,
  isMissingWord,
  numberOf,
  writtenDecimal,
} from "#contracts/seismic-event/written-numbers.ts";
import { isDateAlone, isDatePart, timeOnDate } from "#contracts/seismic-event/written-times.ts";
import { isBlank } from "#contracts/text.ts";
import { type FileSense, readSplitTime, timeOfEpoch } from "../file-sense.ts";
import { createZeroTaker, mapEventType, spacedName, standsForUnknown } from "../written-values.ts";
import { parseElement } from "./element.ts";
import { createRowPlanner, type FieldNames, type RowPlan } from "./row-plan.ts";
import { MAX_DEPTH } from "./scanner.ts";

const MAX_NAMES = 1000;
/** As of a column. */
const MAX_NAME_LENGTH = 256;

/** Every row has these, and so does a table of the rows. */
const CORE = { time: null, latitude: null, longitude: null, depth: null, magnitude: null };

/**
 * Makes rows with canonical names. Of several names of one attribute, the canonical one wins if it
 * has a value, then aliases in their order. Losing values, originals of changed values and foreign
 * members are kept under `extra`, beside the event's own `extra`.
 * @param columns what members are, by their own or their canonical names
 */
export function createRowReader(columns: NamedColumns, sense: FileSense) {
  const planOf = createRowPlanner(columns);
  const allNames = new Set<string>();
  let last: readonly string[] = [];
  let hasMagnitude = false;
  const takeZeros = createZeroTaker();
  const topics = new Set<string>();

  /** Makes a row of an event's members; null when none of them belongs to an event. */
  function read(members: JsonObject, warn: (message: string) => void): JsonObject | null {
    const plan = planOf(Object.keys(members));
    if (!plan.isEvent) return null;
    if (plan.names !== last) {
      last = plan.names;
      for (const name of last) {
        if (allNames.size < MAX_NAMES && name.length <= MAX_NAME_LENGTH) allNames.add(name);
      }
    }
    hasMagnitude ||= plan.givesMagnitude;
    const row: JsonObject = { ...CORE };
    let originals: JsonObject | null = null;
    const keep = (name: string, value: JsonValue) => {
      originals ??= {};
      addTo(originals, name, value);
    };
    const notes: RowRemarks = {
      warn,
      warnOnce(message, topic = message) {
        if (!topics.has(topic)) warn(message);
        topics.add(topic);
      },
      keep,
    };

    for (const remark of plan.unread) notes.warnOnce(remark);
    const used = new Set<string>();
    for (const names of plan.fields) readField(row, members, names, { plan, sense, used }, notes);
    addImplied(row, members, plan.implying, warn);
    const parts = row["time"] === null ? plan.timeParts : null;
    if (parts !== null) {
      const { time, warning } = readSplitTime(members, parts);
      if (warning !== null) warn(`time: ${warning}`);
      row["time"] = time;
    }
    for (const name of row["time"] === null ? [] : (parts?.values() ?? [])) used.add(name);
    for (const name of plan.others) {
      const value = members[name] ?? null;
      if (value === null || used.has(name)) continue;
      keep(plan.kept.get(name) ?? name, inSaidUnit(value, plan.units.get(name)));
    }
    const zeros = plan.zeroIsUnknown ? takeZeros(row, warn) : null;
    for (const name in zeros) keep(name, 0);
    if (isTimeOfDay(row["time"])) readTime(row["time"], notes, sense);
    const own = row["extra"] ?? null;
    if (originals !== null || (own !== null && !isJsonObject(own)))
      row["extra"] = withOriginals(own, originals);
    return row;
  }

  return {
    read,
    /** Whether any row had a magnitude member, even an unknown one. */
    hasMagnitude: () => hasMagnitude,
    /** The members' names, the first of many. */
    names: () => [...allNames],
  };
}

/** Adds what foreign members say of attributes without a value. */
function addImplied(
  row: JsonObject,
  members: JsonObject,
  names: readonly string[],
  warn: (message: string) => void,
): void {
  for (const name of names) {
    for (const [field, value] of impliedBy(name, members[name])) {
      row[field] ??= value;
      if (value === "rejected") warn(`${name}: ${quoted(members[name])} is read as rejected`);
    }
  }
}

/** An own `extra` that is not an object is kept like a foreign member. */
function withOriginals(own: JsonValue, originals: JsonObject | null): JsonObject {
  const extra: JsonObject = isJsonObject(own) ? { ...own } : {};
  if (own !== null && !isJsonObject(own)) addTo(extra, "extra", own);
  for (const [name, value] of Object.entries(originals ?? {})) addTo(extra, name, value);
  return extra;
}

type Reading = {
  readonly plan: Pick<RowPlan, "places" | "timeParts" | "units" | "zoneFault">;
  readonly sense: FileSense;
  /** Names of the parts that say when on a date it was; they are added. */
  readonly used: Set<string>;
};

function readField(
  row: JsonObject,
  members: JsonObject,
  { field, names }: FieldNames,
  { plan, sense, used }: Reading,
  notes: RowRemarks,
): void {
  const name = choose(members, names, notes);
  const given = name === undefined ? null : inUnit(members, name, field, plan);
  const isOpen =
    field === "depth" &&
    name !== undefined &&
    !(plan.units.has(name) || plan.places.get(name) || saysUnit(name, "depth"));
  const value = isOpen ? sensedDepth(given, sense, notes) : given;
  switch (field) {
    case "id":
      row["id"] = value;
      return;
    case "time":
      // A time of day waits for its date, which is read last.
      row["time"] = value === null || isTimeOfDay(value) ? value : readTime(value, notes, sense);
      return;
    case "date":
      if (value !== null) {
        const whole = onDate(row, members, value, { plan, sense, used }, notes);
        if (whole !== null) joinDate(row, names[0] ?? "date", whole, notes, sense);
      }
      return;
    case "focal_mechanisms":
    case "extra":
    case "source_events":
      row[field] = value === null ? null : readStructure(field, value, notes);
      return;
    case "event_type":
      if (typeof value === "string" && isMagnitudeType(value)) {
        notes.warnOnce(`${name}: types of magnitudes are read as such, not as types of events`);
        row["magnitude_type"] ??= value.trim();
        row["event_type"] ??= null;
        return;
      }
      break;
    default:
      break;
  }
  if (value === null) row[field] ??= null;
  else row[field] = VALUE_READERS[field](value, notes);
  // A magnitude named `mw` or `ml` implies its type, unless another member states one.
  const type = field === "magnitude" ? meaningOf(name ?? "")?.magnitudeType : undefined;
  if (type !== undefined && row["magnitude"] !== null) row["magnitude_type"] = type;
}

/** The value, converted to the attribute's unit. */
function inUnit(
  members: JsonObject,
  name: string,
  field: FieldNames["field"],
  { places, units }: Reading["plan"],
): JsonValue {
  const value = members[name] ?? null;
  const unit = units.get(name);
  if (unit !== undefined) {
    return field === "time" && typeof value === "number"
      ? timeOfEpoch(value, unit)
      : inSaidUnit(value, unit);
  }
  const shift = places.get(name);
  return shift === undefined ? value : (movePoint(value, shift) as JsonValue);
}

/** Of a depth whose unit is not said, what the whole file says it is. */
function sensedDepth(value: JsonValue, sense: FileSense, notes: RowRemarks): JsonValue {
  const number = typeof value === "string" ? numberOf(value) : value;
  if (typeof number !== "number" || Number.isNaN(number)) return value;
  const { depth, remark } = sense.depth(number);
  if (remark !== null) notes.warnOnce(`depth: ${remark}`);
  return depth;
}

/** A number, or a text of one, that is said to be in a unit. */
function inSaidUnit(value: JsonValue, unit: ColumnUnit | undefined): JsonValue {
  const number = typeof value === "string" ? numberOf(value) : value;
  return unit === undefined || typeof number !== "number" || Number.isNaN(number)
    ? value
    : converted(number, unit);
}

/** The first of several names that has a value; other values are kept. */
function choose(
  members: JsonObject,
  names: readonly string[],
  notes: RowRemarks,
): string | undefined {
  let first: string | undefined;
  for (const name of names) {
    const value = members[name] ?? null;
    if (value === null || (typeof value === "string" && isBlank(value))) continue;
    if (first === undefined) first = name;
    else notes.keep(name, value);
  }
  return first;
}

/** A date with the time of day from parts; null where that is in a zone that is not read. */
function onDate(
  row: JsonObject,
  members: JsonObject,
  date: JsonValue,
  { plan: { timeParts, zoneFault }, used }: Reading,
  notes: RowRemarks,
): JsonValue {
  if ((row["time"] ?? null) !== null) return date;
  const split = timeParts === null ? null : timeOnDate(members, timeParts, date);
  if (split !== null) {
    for (const [part, name] of timeParts ?? []) if (!isDatePart(part)) used.add(name);
    return split.time;
  }
  if (zoneFault === null || typeof date !== "string" || !isDateAlone(date)) return date;
  notes.warn(`time: the time of day is ${zoneFault}`);
  notes.keep("date", date);
  return null;
}

function joinDate(
  row: JsonObject,
  name: string,
  date: JsonValue,
  notes: RowRemarks,
  sense: FileSense,
): void {
  const time = row["time"] ?? null;
  if (time === null) row["time"] = readTime(date, notes, sense);
  else if (isTimeOfDay(time) && typeof date === "string") {
    row["time"] = readTime(`${date.trim()} ${time.trim()}`, notes, sense);
  } else notes.keep(name, date);
}

/** Converts a value for the row; changes and doubts are noted. */
type ValueReader = (value: JsonValue, notes: RowRemarks) => JsonValue;

/** Length limit of texts whose attribute has none of its own. */
const DEFAULT_LENGTH = 255;

/** One reader per attribute, made from the table of attributes. */
const VALUE_READERS = Object.fromEntries(
  ATTRIBUTE_NAMES.map((name) => [name, readerOf(name)]),
) as Readonly<Record<AttributeName, ValueReader>>;

function readerOf(name: AttributeName): ValueReader {
  const attribute: Attribute = ATTRIBUTES[name];
  if (name === "event_type") return mapping(name, mapEventType);
  switch (attribute.kind) {
    case "number":
    case "integer":
      return numeric(name, attribute);
    case "text":
      return text(name, attribute.maxLength ?? DEFAULT_LENGTH);
    case "enumeration": {
      const values = new Map((attribute.values ?? []).map((value) => [value.toLowerCase(), value]));
      return mapping(name, (word) => values.get(spacedName(word)) ?? null);
    }
  }
}

function numeric(name: AttributeName, attribute: Attribute): ValueReader {
  const { min = Number.NEGATIVE_INFINITY, unit = "" } = attribute;
  const max = name === "longitude" ? TURN : (attribute.max ?? Number.POSITIVE_INFINITY);
  return (value, notes) => {
    const text = typeof value === "string" ? value : "";
    if (isMissingWord(text.trim())) return null;
    const number = typeof value === "number" ? value : numberIn(name, text, notes);
    if (number >= min && number <= max && number !== Number.POSITIVE_INFINITY) {
      if (name !== "longitude" || number <= 180) return number;
      notes.warnOnce(`${name}: ${LONGITUDES_WRAPPED}`);
      return wrapLongitude(number);
    }
    if (!Number.isFinite(number)) {
      notes.warn(`${name}: ${quoted(value)} is not a number`);
      return value;
    }
    if (standsForUnknown(name, number, { min, max })) {
      notes.warn(`${name}: ${number} stands for "not known"; it is kept under extra`);
      notes.keep(name, number);
      return null;
    }
    const range =
      max === Number.POSITIVE_INFINITY ? `less than ${min}` : `not between ${min} and ${max}`;
    notes.warn(`${name}: ${number} is ${range} ${unit}`.trimEnd());
    return number;
  };
}

/** A number in a text, however it is written; NaN for other text. */
function numberIn(name: AttributeName, text: string, notes: RowRemarks): number {
  const plain = numberOf(text);
  const decimal = Number.isNaN(plain) ? writtenDecimal(name, text) : null;
  if (decimal === null) return plain;
  notes.warnOnce(`${name}: ${quoted(text)} is read as ${Number(decimal)}`, name);
  return Number(decimal);
}

/** Identifiers that were written as numbers become text again. */
function text(name: AttributeName, maxLength: number): ValueReader {
  return (value, notes) => {
    if (typeof value === "string") {
      if (value.length > maxLength) notes.warn(`${name}: is longer than ${maxLength} characters`);
      return value;
    }
    if (typeof value === "number") return String(value);
    notes.warn(`${name}: ${quoted(value)} is not a text`);
    return value;
  };
}

/** A value without translation is kept under `extra`, so that the row stays usable. */
function mapping(name: AttributeName, translate: (word: string) => string | null): ValueReader {
  return (value, notes) => {
    const translation = typeof value === "string" ? translate(value) : null;
    if (translation === value) return translation;
    if (translation !== null && translation === spacedName(String(value))) return translation;
    notes.keep(name, value);
    notes.warn(
      translation === null
        ? `${name}: ${quoted(value)} is none of the values known for it; it is kept under extra`
        : `${name}: ${quoted(value)} is read as ${quoted(translation)}`,
    );
    return translation;
  };
}

type RowRemarks = {
  readonly warn: (message: string) => void;
  /** Warns in the first row to which a topic, by default the message, applies. */
  readonly warnOnce: (message: string, topic?: string) => void;
  /** Keeps under `extra` an original that the row holds changed or not at all. */
  readonly keep: (name: string, value: JsonValue) => void;
};

/** Keeps both values when a name occurs in `extra` and beside it. */
function addTo(extra: JsonObject, name: string, value: JsonValue): void {
  let free = name;
  for (let i = 1; Object.hasOwn(extra, free); i++) free = `${name}.${i}`;
  extra[free] = value;
}

/** Shortens long texts for messages. */
function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

const TIME_OF_DAY = /^\s*\d{1,2}:\d/;

function isTimeOfDay(value: JsonValue | undefined): value is string {
  return typeof value === "string" && TIME_OF_DAY.test(value);
}

/** A time in ISO 8601; numbers count from 1970. */
function readTime(value: JsonValue, notes: RowRemarks, sense: FileSense): JsonValue {
  const sensed =
    typeof value === "string" || typeof value === "number"
      ? sense.time(value)
      : { fault: "is not a time that is understood" };
  if ("fault" in sensed) {
    if (typeof value === "string" && isMissingWord(value.trim())) return null;
    notes.warn(`time: ${quoted(value)} ${sensed.fault}`);
    if (!("isForeign" in sensed)) return value;
    notes.keep("time", value);
    return null;
  }
  if (sensed.remark !== null) notes.warnOnce(`time: ${sensed.remark}`);
  return sensed.time;
}

/** A structure as it is, or parsed from JSON text in a table; other text is returned unchanged. */
function readStructure(field: string, value: JsonValue, notes: RowRemarks): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value) || isDeep(value)) return value;
  const element = parseElement(value);
  if (!element.ok) return value;
  for (const warning of element.warnings) notes.warn(`${field}: ${warning}`);
  return element.value as JsonValue;
}

/** Counts brackets inside strings too; text that is refused because of them stays text. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (const bracket of text) {
    if (bracket === "[" || bracket === "{") depth++;
    else if (bracket === "]" || bracket === "}") depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}
