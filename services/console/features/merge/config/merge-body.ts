import type { MergeConfig } from "#contracts/merges/config.ts";
import type { CatalogueAccess } from "#contracts/rights.ts";
import type { AnswerOf, InputOf } from "../../../model/operation-types.ts";
import {
  type FurtherForm,
  furtherConfigOf,
  furtherFormOf,
  type Linkage,
  NOTHING_FURTHER,
  type Strategy,
} from "./further-config.ts";

export type MergeBody = InputOf<"POST /api/merge">["body"];
export type Preview = AnswerOf<"POST /api/merge/preview">;
export type Pair = Preview["ambiguous"][number];

export type Source = {
  readonly id: string;
  readonly name: string;
  /** Of the origin, as it stands with each merged event. */
  readonly label: string;
  readonly events: number;
};

/** How events are grouped and chosen, as it was typed. */
export type ConfigForm = {
  readonly timeThreshold: string;
  readonly distanceThreshold: string;
  readonly mergeStrategy: Strategy;
  readonly priority: string;
  readonly linkage: Linkage;
  readonly further: FurtherForm;
};

export type MergeForm = ConfigForm & {
  readonly sources: readonly Source[];
  /** Doubtful pairs that a person has decided. */
  readonly decided: readonly Decided[];
};

/** Thresholds to begin with: regional networks agree within them on most earthquakes. */
export const NEW_FORM: MergeForm = {
  sources: [],
  timeThreshold: "10",
  distanceThreshold: "50",
  mergeStrategy: "quality",
  priority: "",
  linkage: "complete",
  further: NOTHING_FURTHER,
  decided: [],
};

/** Adds a catalogue as the last source, or takes it away. */
export function toggleSource(sources: readonly Source[], source: Source): readonly Source[] {
  const others = sources.filter(({ id }) => id !== source.id);
  return others.length < sources.length ? others : [...sources, source];
}

/** Of the new catalogue: empty, as its sources have it. */
export type MergeAccess = CatalogueAccess | "";

export function mergeBodyOf(form: MergeForm, name: string, access: MergeAccess = ""): MergeBody {
  const { sources, decided } = form;
  return {
    name: name.trim(),
    ...(access !== "" && { access }),
    sourceCatalogues: sources.map(({ id, label }) => ({ id, source: label.trim() })),
    config: {
      ...configOf(form),
      ...(decided.length > 0 && {
        decisions: decided.map(({ type, pair }) => ({ type, events: eventsOf(pair) })),
      }),
    },
  };
}

export function configOf(form: ConfigForm) {
  const { mergeStrategy, priority, linkage, further } = form;
  return {
    timeThreshold: Number(form.timeThreshold),
    distanceThreshold: Number(form.distanceThreshold),
    mergeStrategy,
    linkage,
    ...(mergeStrategy === "priority" && { priority: priority.trim() }),
    ...furtherConfigOf(further),
  };
}

/** The form that makes such a config. */
export function formOfConfig(config: MergeConfig): ConfigForm {
  return {
    timeThreshold: String(config.timeThreshold),
    distanceThreshold: String(config.distanceThreshold),
    mergeStrategy: config.mergeStrategy,
    priority: config.priority,
    linkage: config.linkage,
    further: furtherFormOf(config),
  };
}

type Events = Pick<Pair, "first" | "second">;
type Decision = NonNullable<MergeBody["config"]["decisions"]>[number];

/** What a person says of two events: one earthquake, or two. */
export type Verdict = Decision["type"];

/** A doubtful pair that a person has decided before a merge. */
export type Decided = { readonly type: Verdict; readonly pair: Pair };

/** The events of a pair as a decision names them. */
export function eventsOf({ first, second }: Events): Decision["events"] {
  return [first, second].map(({ catalogue_id, event_id }) => ({ catalogue_id, event_id }));
}

/** What has been decided of a pair; null for nothing. */
export function verdictOf(decided: readonly Decided[], pair: Events): Verdict | null {
  return decided.find((one) => keyOf(one.pair) === keyOf(pair))?.type ?? null;
}

/** The decisions with that of a pair; without it where it is null. */
export function withVerdict(
  decided: readonly Decided[],
  pair: Pair,
  type: Verdict | null,
): readonly Decided[] {
  const others = decided.filter((one) => keyOf(one.pair) !== keyOf(pair));
  return type === null ? others : [...others, { type, pair }];
}

/** The same whichever of its events comes first. */
function keyOf(pair: Events): string {
  return eventsOf(pair)
    .map(({ catalogue_id, event_id }) => `${catalogue_id} ${event_id}`)
    .toSorted()
    .join();
}
