import type { Foreign, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { SCML_NAMESPACE } from "./scml-namespace.ts";
import { isOwn } from "./write-own.ts";

type Arrival = QuakemlObject<"Arrival">;

/** QuakeML's three weights, each with SCML's flag that gives it the arrival's one weight. */
const FLAGS = {
  timeWeight: "timeUsed",
  horizontalSlownessWeight: "horizontalSlownessUsed",
  backazimuthWeight: "backazimuthUsed",
} as const;
type Weight = keyof typeof FLAGS;
const WEIGHTS = Object.keys(FLAGS) as Weight[];

/** The texts of SCML's elements that say it, by name. */
type Said = ReadonlyMap<string, string>;
const ELEMENTS: ReadonlySet<string> = new Set([...Object.values(FLAGS), "weight"]);

const isSaid = (foreign: Foreign): boolean => isOwn(foreign) && ELEMENTS.has(foreign.name);

/** What an arrival's foreign elements say of its weights. */
export function saidOf(foreign: readonly Foreign[]): Said {
  return new Map(foreign.filter(isSaid).map(({ name, text = "" }) => [name, text]));
}

/**
 * The weights of an arrival as texts, by SeisComP's rule: the one weight for what is used, 1 without
 * a weight; without any flag it is the time's.
 */
export function weightsOf(said: Said): readonly (readonly [Weight, string])[] {
  const weight = said.get("weight");
  const isFlagged = WEIGHTS.some((name) => said.has(FLAGS[name]));
  return WEIGHTS.filter((name) => {
    const flag = said.get(FLAGS[name])?.trim();
    if (!isFlagged) return name === "timeWeight" && weight !== undefined;
    return flag === "true" || flag === "1";
  }).map((name) => [name, weight ?? "1"] as const);
}

/**
 * An arrival with SCML's weight and flags as foreign elements instead of the three weights: those it
 * came with where they mean the same, so that what is not used stays so. `lost` gets each weight
 * that SCML has no place for, because it differs from the others.
 */
export function withFlags(arrival: Arrival, lost: (weight: Weight) => void): Omit<Arrival, Weight> {
  const { timeWeight, horizontalSlownessWeight, backazimuthWeight, ...rest } = arrival;
  const weights = { timeWeight, horizontalSlownessWeight, backazimuthWeight };
  const { foreign = [] } = rest;
  const meant = new Map<string, number>(
    weightsOf(saidOf(foreign)).map(([name, text]) => [name, Number(text)]),
  );
  if (WEIGHTS.every((name) => meant.get(name) === weights[name])) return rest;
  const common = WEIGHTS.map((name) => weights[name]).find((weight) => weight !== undefined);
  const flagged: Foreign[] = [];
  for (const name of WEIGHTS) {
    if (weights[name] === undefined) continue;
    if (weights[name] !== common) lost(name);
    else flagged.push({ ns: SCML_NAMESPACE, name: FLAGS[name], text: "true" });
  }
  if (common !== undefined)
    flagged.push({ ns: SCML_NAMESPACE, name: "weight", text: String(common) });
  return { ...rest, foreign: [...foreign.filter((one) => !isSaid(one)), ...flagged] };
}
