import { mayImply } from "#contracts/seismic-event/implied-attributes.ts";
import { type NameMeaning, normaliseName } from "#contracts/seismic-event/input-names.ts";
import { namesInContext } from "#contracts/seismic-event/names-in-context.ts";
import { type TimePartNames, timePartNames } from "#contracts/seismic-event/split-time.ts";
import { EXPORT_FIELDS, type ExportField } from "../export-row.ts";
import { isQuakesearch } from "../unknown-at-zero.ts";

/** Which members of an object give which field of a row. */
export type RowPlan = {
  readonly names: readonly string[];
  /** In canonical order; of several names for one field the best comes first. */
  readonly fields: readonly FieldNames[];
  /** Names that are none of ours. */
  readonly others: readonly string[];
  /** Those of the others that may say what attributes are. */
  readonly implying: readonly string[];
  /** Names whose values have another unit: what power of ten brings them to the attribute's. */
  readonly places: ReadonlyMap<string, number>;
  /** A time in parts, for events without another; its names are among the others. */
  readonly timeParts: TimePartNames | null;
  /** False when there is nothing of a time, a place or a magnitude. */
  readonly isEvent: boolean;
  readonly givesMagnitude: boolean;
  /** 0 stands for "not known" in uncertainties and their like. */
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

/** More shapes than any honest file has; a hostile one must not fill the memory with plans. */
const MAX_PLANS = 500;
/** Characters of a list of names whose plan is remembered. */
const MAX_SHAPE_LENGTH = 16 * 1024;

/** Plans by the list of names: the objects of a file mostly have the same ones in the same order. */
export function createRowPlanner(): (names: readonly string[]) => RowPlan {
  const plans = new Map<string, RowPlan>();
  let last: RowPlan | null = null;

  return (names) => {
    if (last !== null && isSame(names, last.names)) return last;
    const shape = JSON.stringify(names);
    let plan = plans.get(shape);
    if (plan === undefined) {
      plan = planOf(names);
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

function planOf(names: readonly string[]): RowPlan {
  const candidates = new Map<RowField, { name: string; rank: number }[]>();
  const others: string[] = [];
  // Beside `source_id`, `id` is our own id in an export that comes back.
  const isOurs = names.some((name) => normaliseName(name) === "sourceid");
  const { meanings } = namesInContext(names);
  const places = new Map<string, number>();
  for (const [i, name] of names.entries()) {
    const meaning = meanings[i] ?? null;
    const field = isOurs && name === "id" ? "id" : fieldOf(name, meaning);
    if (field === null) others.push(name);
    else {
      const found = candidates.get(field) ?? [];
      // The canonical spelling itself goes before its camelCase and other variants.
      found.push({ name, rank: name === field ? -1 : (meaning?.rank ?? 0) });
      candidates.set(field, found);
      if (meaning?.places !== undefined) places.set(name, meaning.places);
    }
  }
  const fields = ORDER.flatMap((field) => {
    const found = candidates.get(field)?.sort((a, b) => a.rank - b.rank);
    return found === undefined ? [] : [{ field, names: found.map(({ name }) => name) }];
  });
  const isEvent = fields.some(({ field }) => ESSENTIAL.has(field));
  return {
    names,
    fields,
    others,
    implying: others.filter(mayImply),
    places,
    timeParts: timePartNames(others),
    isEvent,
    givesMagnitude: candidates.has("magnitude"),
    zeroIsUnknown: isQuakesearch(names),
  };
}

function fieldOf(name: string, meaning: NameMeaning | null): RowField | null {
  return name === "source_events" ? name : (meaning?.field ?? null);
}
