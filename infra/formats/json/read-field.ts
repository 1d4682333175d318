import {
  ATTRIBUTE_NAMES,
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import { meaningOf, movePoint, saysUnit } from "#contracts/seismic-event/input-names.ts";
import { LONGITUDES_WRAPPED, TURN, wrapLongitude } from "#contracts/seismic-event/longitude.ts";
import { isMagnitudeType } from "#contracts/seismic-event/magnitude-types.ts";
import { isMissingWord, numberOf, writtenDecimal } from "#contracts/seismic-event/number-text.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isDateAlone, isDatePart, timeOnDate } from "#contracts/seismic-event/split-time.ts";
import { type ColumnUnit, converted } from "#contracts/seismic-event/written-units.ts";
import { isBlank } from "../delimited/cell.ts";
import type { FileSense } from "../file-sense.ts";
import { mapEventType, spacedName } from "../legacy-event-types.ts";
import { timeOfEpoch } from "../time-sense.ts";
import { standsForUnknown } from "../unknown-numbers.ts";
import { isTimeOfDay, quoted, type RowRemarks, readTime } from "./field-value.ts";
import { readStructure } from "./parse-element.ts";
import type { FieldNames, RowPlan } from "./row-plan.ts";

type Reading = {
  readonly plan: Pick<RowPlan, "places" | "timeParts" | "units" | "zoneFault">;
  readonly sense: FileSense;
  /** Names of the parts that say when on a date it was; they are added. */
  readonly used: Set<string>;
};

export function readField(
  row: JsonObject,
  members: JsonObject,
  { field, names }: FieldNames,
  { plan, sense, used }: Reading,
  notes: RowRemarks,
): void {
  const name = choose(members, names, notes);
  const given = name === undefined ? null : inUnit(members, name, field, plan);
  const isOpen = field === "depth" && name !== undefined && isUnitOpen(name, plan);
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
        if (whole !== null) joinDate(row, names[0] ?? "date", whole, { notes, sense });
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
  if (field === "magnitude" && name !== undefined) implyType(row, name);
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

function isUnitOpen(name: string, { places, units }: Reading["plan"]): boolean {
  return !units.has(name) && !places.get(name) && !saysUnit(name, "depth");
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
export function inSaidUnit(value: JsonValue, unit: ColumnUnit | undefined): JsonValue {
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
  { notes, sense }: { readonly notes: RowRemarks; readonly sense: FileSense },
): void {
  const time = row["time"] ?? null;
  if (time === null) row["time"] = readTime(date, notes, sense);
  else if (isTimeOfDay(time) && typeof date === "string") {
    row["time"] = readTime(`${date.trim()} ${time.trim()}`, notes, sense);
  } else notes.keep(name, date);
}

/** A magnitude named `mw` or `ml` implies its type, unless another member states one. */
function implyType(row: JsonObject, name: string): void {
  const type = meaningOf(name)?.magnitudeType;
  if (type !== undefined && row["magnitude"] !== null) row["magnitude_type"] = type;
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
