/**
 * What names of columns and members mean: what is wrong with what is said of a file's, and which
 * of them give which attribute.
 */

import type { AttributeName } from "#contracts/seismic-event/attributes.ts";
import {
  type MagnitudeNames,
  type NamedColumns,
  namesInContext,
  saidUnit,
  targetOf,
  unitsOf,
} from "#contracts/seismic-event/columns.ts";
import {
  type Field,
  mayImply,
  meaningOf,
  type NameMeaning,
  normaliseName,
  unitInName,
  zoneInName,
} from "#contracts/seismic-event/names.ts";
import { type TimePartNames, timePartNames } from "#contracts/seismic-event/written-times.ts";
import type { FieldError } from "./event-draft.ts";

/** A file's columns; `members` are further names that it has for them. */
export type FileColumns = {
  readonly headers: readonly string[];
  readonly members?: readonly string[];
  /** Canonical headers that no member of the file gives a value. */
  readonly empty?: readonly string[] | undefined;
};

/** What is wrong with what is said of a file's columns. */
export function faultyColumns(
  columns: NamedColumns,
  { headers, members = [], empty = [] }: FileColumns,
): FieldError[] {
  const known = new Set([...headers, ...members]);
  /** Whether all members that give the canonical header their values are said to be something else. */
  const isFreed = (header: string): boolean => {
    const sources = members.filter((member) => meaningOf(member)?.field === header);
    return sources.length > 0 && sources.every((member) => columns.has(member));
  };
  const isFree = (header: string): boolean =>
    !known.has(header) || columns.has(header) || empty.includes(header) || isFreed(header);
  const taken = new Map<string, string>();
  const faults: FieldError[] = [];
  for (const column of columns.keys()) {
    const [name = null, said] = [targetOf(columns, column), saidUnit(columns, column)];
    const fault = (message: string) => faults.push({ field: `columns.${column}`, message });
    if (!known.has(column)) fault("is not a column of the file");
    else if (name !== null) {
      const other = taken.get(name);
      if (other !== undefined) fault(`is ${name}, and so is ${other}`);
      else if (!isFree(name)) {
        fault(
          `is ${name}, which is a column of the file too; name that as well, or leave it out with null`,
        );
      }
      const unit = unitInName(column, name);
      const units = unitsOf(name);
      if (said !== undefined && !units.includes(said)) {
        fault(
          `is in ${said}, but ${name} has ${units.length > 0 ? units.join(" or ") : "no unit"}`,
        );
      } else if (said === undefined && "fault" in unit)
        fault(`is ${unit.fault}, which is not read as ${name}`);
      taken.set(name, column);
    }
  }
  return faults;
}

/** Which keys of an event provide which field, preferred name first. */
export type KeyPlan = {
  readonly keys: readonly string[];
  readonly attributes: readonly AttributeKeys[];
  /** True when a key denotes the magnitude, whatever its value. */
  readonly givesMagnitude: boolean;
  /** Several magnitudes of one event; their keys are not among the attributes'. */
  readonly magnitudes: readonly MagnitudeNames[];
  /** Keys whose values are in another unit: the power of ten that converts to the attribute's. */
  readonly places: ReadonlyMap<string, number>;
  /** Magnitude types that names of the magnitude imply, by key. */
  readonly impliedTypes: ReadonlyMap<string, string>;
  readonly time: readonly string[];
  readonly date: readonly string[];
  /** Keys of a time's parts, which are not among the others. */
  readonly timeParts: TimePartNames | null;
  /** Why a key's times are none that can be read; null without such a key. */
  readonly zoneFault: string | null;
  readonly focalMechanisms: readonly string[];
  readonly extra: readonly string[];
  /** Foreign keys, kept under `extra`. */
  readonly others: readonly string[];
  /** Foreign names that may say what attributes are. */
  readonly implying: readonly string[];
};

export type AttributeKeys = { readonly name: AttributeName; readonly keys: readonly string[] };

/** Above any real file: bounds the memory that a hostile body can fill with plans. */
const MAX_PLANS = 500;

/**
 * Caches plans by the list of keys. The events of a body mostly have the same keys in the same
 * order, so the last plan is compared first: resolving the names again would cost more than
 * validating the values.
 */
export function createKeyPlanner(): (event: object) => KeyPlan {
  const plans = new Map<string, KeyPlan>();
  let last: KeyPlan | null = null;

  return (event) => {
    const keys = Object.keys(event);
    const before = last?.keys;
    if (
      last !== null &&
      keys.length === before?.length &&
      keys.every((key, i) => key === before[i])
    ) {
      return last;
    }
    const shape = JSON.stringify(keys);
    let plan = plans.get(shape);
    if (plan === undefined) {
      plan = planOf(keys);
      if (plans.size >= MAX_PLANS) plans.clear();
      plans.set(shape, plan);
    }
    last = plan;
    return plan;
  };
}

function planOf(keys: readonly string[]): KeyPlan {
  const candidates = new Map<Field, { key: string; rank: number }[]>();
  const others: string[] = [];
  // If there is a `source_id`, `id` is our own, from a re-imported export, and a new one is given.
  const ownIdGiven = keys.some((key) => normaliseName(key) === "sourceid");

  const { meanings, magnitudes } = namesInContext(keys);
  const ofSeveral = new Set(magnitudes.flatMap(({ type, magnitude }) => [type, magnitude]));
  const places = new Map<string, number>();
  const impliedTypes = new Map<string, string>();

  for (const [i, key] of keys.entries()) {
    const meaning = meanings[i] ?? null;
    if (meaning === null) others.push(key);
    else if (!ofSeveral.has(key) && !(ownIdGiven && normaliseName(key) === "id")) {
      addCandidate(candidates, key, meaning);
      if (meaning.places !== undefined) places.set(key, meaning.places);
      if (meaning.magnitudeType !== undefined) impliedTypes.set(key, meaning.magnitudeType);
    }
  }

  const take = (field: Field): string[] => {
    const matches = candidates.get(field) ?? [];
    candidates.delete(field);
    return matches.sort((a, b) => a.rank - b.rank).map(({ key }) => key);
  };
  const timeParts = timePartNames(others, undefined, candidates.has("date"));
  const partKeys = new Set(timeParts?.values());
  const zoned = others.find((key) => zoneInName(key) !== null);
  return {
    keys,
    others: others.filter((key) => !partKeys.has(key)),
    implying: others.filter(mayImply),
    timeParts,
    magnitudes,
    places,
    givesMagnitude: candidates.has("magnitude") || magnitudes.length > 0,
    impliedTypes,
    zoneFault: zoned === undefined ? null : `${JSON.stringify(zoned)} is ${zoneInName(zoned)}`,
    time: take("time"),
    date: take("date"),
    focalMechanisms: take("focal_mechanisms"),
    extra: take("extra"),
    attributes: ([...candidates.keys()] as AttributeName[]).map((name) => ({
      name,
      keys: take(name),
    })),
  };
}

function addCandidate(
  candidates: Map<Field, { key: string; rank: number }[]>,
  key: string,
  { field, rank }: NameMeaning,
): void {
  const matches = candidates.get(field) ?? [];
  // The canonical spelling precedes its variants, such as camelCase.
  matches.push({ key, rank: key === field ? Math.min(rank, -1) : rank });
  candidates.set(field, matches);
}
