import { impliedBy } from "#contracts/seismic-event/implied-attributes.ts";
import type { NamedColumns } from "#contracts/seismic-event/named-columns.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "#contracts/seismic-event/seismic-event.ts";
import type { TimePartNames } from "#contracts/seismic-event/split-time.ts";
import type { FileSense } from "../file-sense.ts";
import { readSplitTime } from "../split-time-warning.ts";
import { createZeroTaker } from "../unknown-numbers.ts";
import { addTo, isTimeOfDay, quoted, type RowRemarks, readTime } from "./field-value.ts";
import { inSaidUnit, readField } from "./read-field.ts";
import { createRowPlanner } from "./row-plan.ts";

export type RowReader = {
  /** Makes a row of an event's members; null when none of them belongs to an event. */
  readonly read: (members: JsonObject, warn: (message: string) => void) => JsonObject | null;
  /** Whether any row had a magnitude member, even an unknown one. */
  readonly hasMagnitude: () => boolean;
  /** The members' names, the first of many. */
  readonly names: () => readonly string[];
};

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
export function createRowReader(columns: NamedColumns, sense: FileSense): RowReader {
  const planOf = createRowPlanner(columns);
  const allNames = new Set<string>();
  let last: readonly string[] = [];
  let hasMagnitude = false;
  const takeZeros = createZeroTaker();
  const isFirst = createFirstTest();

  function read(members: JsonObject, warn: (message: string) => void): JsonObject | null {
    const plan = planOf(Object.keys(members));
    if (!plan.isEvent) return null;
    if (plan.names !== last) {
      last = plan.names;
      addNames(allNames, last);
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
      warnOnce: (message, topic = message) => isFirst(topic) && warn(message),
      keep,
    };

    for (const remark of plan.unread) notes.warnOnce(remark);
    const used = new Set<string>();
    for (const names of plan.fields) readField(row, members, names, { plan, sense, used }, notes);
    addImplied(row, members, plan.implying, warn);
    const parts = row["time"] === null ? plan.timeParts : null;
    if (parts !== null) row["time"] = readParts(members, parts, notes);
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

  return { read, hasMagnitude: () => hasMagnitude, names: () => [...allNames] };
}

/** Tells whether a topic comes for the first time. */
function createFirstTest(): (topic: string) => boolean {
  const topics = new Set<string>();
  return (topic) => {
    const isFirst = !topics.has(topic);
    topics.add(topic);
    return isFirst;
  };
}

function addNames(all: Set<string>, names: readonly string[]): void {
  for (const name of names) {
    if (all.size < MAX_NAMES && name.length <= MAX_NAME_LENGTH) all.add(name);
  }
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

/** The time from separate members; null with a warning when they do not make one. */
function readParts(members: JsonObject, parts: TimePartNames, notes: RowRemarks): string | null {
  const { time, warning } = readSplitTime(members, parts);
  if (warning !== null) notes.warn(`time: ${warning}`);
  return time;
}

/** An own `extra` that is not an object is kept like a foreign member. */
function withOriginals(own: JsonValue, originals: JsonObject | null): JsonObject {
  const extra: JsonObject = isJsonObject(own) ? { ...own } : {};
  if (own !== null && !isJsonObject(own)) addTo(extra, "extra", own);
  for (const [name, value] of Object.entries(originals ?? {})) addTo(extra, name, value);
  return extra;
}
