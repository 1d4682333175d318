import {
  isPickTarget,
  type NamedColumns,
  namesInContext,
  saidUnit,
  targetOf,
} from "#contracts/seismic-event/columns.ts";
import {
  mayImply,
  type NameMeaning,
  normaliseName,
  remarksOnUnread,
  unitInName,
  zoneInName,
} from "#contracts/seismic-event/names.ts";
import type { ColumnUnit } from "#contracts/seismic-event/written-numbers.ts";
import {
  TIME_PART_NAMES,
  type TimePart,
  type TimePartNames,
  timePartNames,
} from "#contracts/seismic-event/written-times.ts";
import { EXPORT_FIELDS, type ExportField } from "../format-writer.ts";
import { isQuakesearch } from "../written-values.ts";

/** Which members of an object provide which fields of a row. */
export type RowPlan = {
  readonly names: readonly string[];
  /** In canonical order; of several names for one field the preferred is first. */
  readonly fields: readonly FieldNames[];
  readonly others: readonly string[];
  /** Members in a unit that is not read, where no other gives the attribute: remarks on them. */
  readonly unread: readonly string[];
  /** Foreign names that may say what attributes are. */
  readonly implying: readonly string[];
  /** Names whose values are in another unit: the power of ten that converts to the attribute's. */
  readonly places: ReadonlyMap<string, number>;
  /** Units that members are said to have, which hold instead of these. */
  readonly units: ReadonlyMap<string, ColumnUnit>;
  /** What members of `others` are kept as. */
  readonly kept: ReadonlyMap<string, string>;
  /** Names of a time's parts, for events without a whole one; they are in `others` too. */
  readonly timeParts: TimePartNames | null;
  /** Why the times of a member cannot be read: it has another zone; null without such a one. */
  readonly zoneFault: string | null;
  /** False without any time, place or magnitude by its own name. */
  readonly isEvent: boolean;
  readonly givesMagnitude: boolean;
  /** 0 stands for an unknown uncertainty, RMS or gap. */
  readonly zeroIsUnknown: boolean;
};

type RowField = ExportField | "date";

export type FieldNames = { readonly field: RowField; readonly names: readonly string[] };

const ORDER: readonly RowField[] = [...EXPORT_FIELDS, "date"];

const ESSENTIAL: ReadonlySet<RowField> = new Set([
  "time",
  "date",
  "latitude",
  "longitude",
  "magnitude",
]);

/** Above any real file: bounds the memory that a hostile one can fill with plans. */
const MAX_PLANS = 500;
/** Longest list of names, in characters, whose plan is cached. */
const MAX_SHAPE_LENGTH = 16 * 1024;

/** Plans by the list of names, cached: a file's objects mostly have the same in the same order. */
export function createRowPlanner(columns: NamedColumns): (names: readonly string[]) => RowPlan {
  const plans = new Map<string, RowPlan>();
  let last: RowPlan | null = null;

  return (names) => {
    if (last !== null && isSame(names, last.names)) return last;
    const shape = JSON.stringify(names);
    let plan = plans.get(shape);
    if (plan === undefined) {
      plan = planOf(names, columns);
      if (plans.size >= MAX_PLANS) plans.clear();
      if (shape.length <= MAX_SHAPE_LENGTH) plans.set(shape, plan);
    }
    last = plan;
    return plan;
  };
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Before every name that has a meaning by itself or by its place. */
const OVERRIDE_RANK = -3;

type Rival = { readonly name: string; readonly rank: number };

function planOf(names: readonly string[], columns: NamedColumns): RowPlan {
  const candidates = new Map<RowField, Rival[]>();
  const others: string[] = [];
  // If there is a `source_id`, `id` is our own: a re-imported export.
  const isOurs = names.some((name) => normaliseName(name) === "sourceid");
  const { meanings } = namesInContext(names);
  const places = new Map<string, number>();
  const units = new Map<string, ColumnUnit>();
  const kept = new Map<string, string>();
  const understandings = names.map((name, i) =>
    name === "source_events" ? name : (meanings[i]?.field ?? null),
  );
  const namedParts = new Map<TimePart, string>();
  let isEvent = false;
  for (const [i, name] of names.entries()) {
    const meaning = meanings[i] ?? null;
    const understood = isOurs && name === "id" ? "id" : (understandings[i] ?? null);
    isEvent ||= understood !== null && ESSENTIAL.has(understood);
    const said = columns.size === 0 || columns.has(name) ? name : (understood ?? name);
    const target = targetOf(columns, said);
    const unit = saidUnit(columns, said);
    if (unit !== undefined) units.set(name, unit);
    // What the name says by itself may also tell a unit.
    const isKnown =
      target === understood && !understandings.some((f, k) => f === target && k !== i);
    const override = isKnown ? undefined : target;
    if (override === null) continue;
    if (override !== undefined && isTimePart(override)) {
      namedParts.set(override, name);
      others.push(name);
      continue;
    }
    if (override !== undefined && isPickTarget(override)) {
      kept.set(name, override);
      others.push(name);
      continue;
    }
    isEvent ||= override !== undefined && ESSENTIAL.has(override);
    const field = override ?? understood;
    if (field === null) {
      others.push(name);
      continue;
    }
    const rank = override === undefined ? rankOf(name, field, meaning) : OVERRIDE_RANK;
    const rivals = candidates.get(field) ?? [];
    rivals.push({ name, rank });
    candidates.set(field, rivals);
    const shift = override === undefined ? meaning?.places : placesInName(name, override);
    if (shift !== undefined) places.set(name, shift);
  }
  return {
    names,
    fields: inOrder(candidates),
    others,
    unread: remarksOnUnread(others, candidates),
    implying: others.filter(mayImply),
    places,
    units,
    kept,
    timeParts: columns.has("time")
      ? null
      : timePartNames(others, namedParts, candidates.has("date")),
    zoneFault: others.map(zoneInName).find((fault) => fault !== null) ?? null,
    isEvent,
    givesMagnitude: candidates.has("magnitude"),
    zeroIsUnknown: isQuakesearch(names),
  };
}

/** The canonical spelling precedes its variants, such as camelCase. */
function rankOf(name: string, field: RowField, meaning: NameMeaning | null): number {
  const rank = meaning?.rank ?? 0;
  return name === field ? Math.min(rank, -1) : rank;
}

function inOrder(candidates: ReadonlyMap<RowField, readonly Rival[]>): FieldNames[] {
  return ORDER.flatMap((field) => {
    const rivals = candidates.get(field)?.toSorted((a, b) => a.rank - b.rank);
    return rivals === undefined ? [] : [{ field, names: rivals.map(({ name }) => name) }];
  });
}

export function isTimePart(target: string): target is TimePart {
  return (TIME_PART_NAMES as readonly string[]).includes(target);
}

/** A unit in the name holds, whatever the member is said to be. */
function placesInName(name: string, field: RowField): number | undefined {
  const unit = unitInName(name, field);
  return "fault" in unit ? undefined : unit.places;
}
