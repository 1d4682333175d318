import { FIELD_NAMES, type FieldName, labelOf, shownValue } from "../../ui/text/attribute-names.ts";
import { given, type Measure } from "../../ui/text/digits.ts";
import type { DeedEvent } from "./deed.ts";

type Changed = DeedEvent["changed"][number];

/** Attributes that are told by a short name, with digits that mean something. */
const MEASURES: Readonly<
  Partial<Record<FieldName, { name: string; measure: Measure; unit: string }>>
> = {
  magnitude: { name: "M", measure: "magnitude", unit: "" },
  depth: { name: "depth", measure: "depth", unit: " km" },
  latitude: { name: "latitude", measure: "degrees", unit: "°" },
  longitude: { name: "longitude", measure: "degrees", unit: "°" },
};

/** Lists and structures of an event, whose values are not told. */
const STRUCTURES: Readonly<Record<string, string>> = {
  focal_mechanisms: "mechanisms",
  extra: "further attributes",
  source_events: "sources of the merge",
};

/** "M 2.0 → 2.6", "depth 10 → 12 km", "status preliminary → reviewed"; of structures that they changed. */
function changedValue({ name, from, to }: Changed): string {
  const field = FIELD_NAMES.find((known) => known === name);
  if (field === undefined) return `${STRUCTURES[name] ?? name.replaceAll("_", " ")} changed`;
  const measured = MEASURES[field];
  if (measured && isNumberOrNull(from) && isNumberOrNull(to)) {
    const [before, after] = alike(given(from, measured.measure), given(to, measured.measure));
    if (before !== after) return `${measured.name} ${before} → ${after}${measured.unit}`;
  }
  const [before, after] = [from, to].map((value) => told(field, value));
  return `${labelOf(field).toLowerCase()} ${before} → ${after}`;
}

function told(field: FieldName, value: Changed["from"]): string {
  return value === null || value === undefined ? "none" : shownValue(field, value);
}

/** In the order in which people read them: the magnitude first. */
export function changedValues(changed: readonly Changed[]): string {
  const isFirst = ({ name }: Changed) => name.startsWith("magnitude");
  const sorted = [...changed.filter(isFirst), ...changed.filter((one) => !isFirst(one))];
  return sorted.map(changedValue).join(", ");
}

function isNumberOrNull(value: Changed["from"]): value is number | null {
  return value === null || typeof value === "number";
}

/** Two numbers with as many decimals: "2.0" and "2.6". */
function alike(one: string, other: string): readonly [string, string] {
  const decimals = Math.max(decimalsIn(one), decimalsIn(other));
  return [padded(one, decimals), padded(other, decimals)];
}

const decimalsIn = (text: string): number => text.split(".")[1]?.length ?? 0;

function padded(text: string, decimals: number): string {
  if (!/^−?\d/.test(text) || decimals === 0) return text;
  const [whole = "", fraction = ""] = text.split(".");
  return `${whole}.${fraction.padEnd(decimals, "0")}`;
}
