import type { CatalogueAccess } from "#contracts/catalogue-rights.ts";
import type { AnswerOf, InputOf } from "../../model/operation-types.ts";

export type MergeBody = InputOf<"POST /api/merge">["body"];
export type Preview = AnswerOf<"POST /api/merge/preview">;
export type Pair = Preview["ambiguous"][number];
export type Strategy = MergeBody["config"]["mergeStrategy"];
export type Linkage = NonNullable<MergeBody["config"]["linkage"]>;

export type Source = {
  readonly id: string;
  readonly name: string;
  /** Of the origin, as it stands with each merged event. */
  readonly label: string;
  readonly events: number;
};

/** What the form holds, as it was typed. */
export type MergeForm = {
  readonly sources: readonly Source[];
  readonly timeThreshold: string;
  readonly distanceThreshold: string;
  readonly mergeStrategy: Strategy;
  readonly priority: string;
  readonly linkage: Linkage;
};

/** Thresholds to begin with: regional networks agree within them on most earthquakes. */
export const NEW_FORM: MergeForm = {
  sources: [],
  timeThreshold: "10",
  distanceThreshold: "50",
  mergeStrategy: "quality",
  priority: "",
  linkage: "complete",
};

export const STRATEGIES: readonly {
  readonly value: Strategy;
  readonly text: string;
  readonly hint: string;
}[] = [
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

export const LINKAGES: readonly {
  readonly value: Linkage;
  readonly text: string;
  readonly hint: string;
}[] = [
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

/** Adds a catalogue as the last source, or takes it away. */
export function toggleSource(sources: readonly Source[], source: Source): readonly Source[] {
  const others = sources.filter(({ id }) => id !== source.id);
  return others.length < sources.length ? others : [...sources, source];
}

/** Of the new catalogue: empty, as its sources have it. */
export type MergeAccess = CatalogueAccess | "";

/** The request of a form. */
export function mergeBodyOf(form: MergeForm, name: string, access: MergeAccess = ""): MergeBody {
  const { sources, mergeStrategy, priority, linkage } = form;
  return {
    name: name.trim(),
    ...(access !== "" && { access }),
    sourceCatalogues: sources.map(({ id, label }) => ({ id, source: label.trim() })),
    config: {
      timeThreshold: Number(form.timeThreshold),
      distanceThreshold: Number(form.distanceThreshold),
      mergeStrategy,
      linkage,
      ...(mergeStrategy === "priority" && { priority: priority.trim() }),
    },
  };
}
