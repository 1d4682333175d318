import type { MergeConfig } from "#contracts/merges/config.ts";

export type Strategy = MergeConfig["mergeStrategy"];
export type Linkage = MergeConfig["linkage"];

type Option<T> = { readonly value: T; readonly text: string; readonly hint: string };

export const STRATEGIES: readonly Option<Strategy>[] = [
  {
    value: "quality",
    text: "best quality",
    hint: "The solution that scores best by its stations, gap, residuals, magnitude and review.",
  },
  {
    value: "priority",
    text: "preferred source",
    hint: "The solution of one source where it has one, else of the first source in the list.",
  },
  {
    value: "average",
    text: "average",
    hint: "The mean time and place, weighted by uncertainty. Magnitudes are chosen, never averaged.",
  },
  { value: "newest", text: "latest time", hint: "The solution with the latest origin time." },
  {
    value: "complete",
    text: "most complete",
    hint: "The solution with the most attributes known.",
  },
];

export const LINKAGES: readonly Option<Linkage>[] = [
  {
    value: "complete",
    text: "complete",
    hint: "All events of a group must be within both thresholds of each other.",
  },
  {
    value: "nearest",
    text: "nearest",
    hint: "One pair within the thresholds is enough to join two groups, so chains can form.",
  },
];
