import { meaningOf, movePoint, saysUnit } from "#contracts/seismic-event/input-names.ts";
import { isMagnitudeType } from "#contracts/seismic-event/magnitude-types.ts";
import { numberOf } from "#contracts/seismic-event/number-text.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { isDateAlone, isDatePart, timeOnDate } from "#contracts/seismic-event/split-time.ts";
import { type ColumnUnit, converted } from "#contracts/seismic-event/written-units.ts";
import { isBlank } from "../delimited/cell.ts";
import type { FileSense } from "../file-sense.ts";
import { timeOfEpoch } from "../time-sense.ts";
import { isTimeOfDay, type RowRemarks, readTime } from "./field-value.ts";
import { readStructure } from "./parse-element.ts";
import type { FieldNames, RowPlan } from "./row-plan.ts";
import { VALUE_READERS } from "./value-readers.ts";

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
