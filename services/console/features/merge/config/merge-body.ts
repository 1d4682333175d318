import type { MergeConfig } from "#contracts/merges/config.ts";
import type { CatalogueAccess } from "#contracts/rights.ts";
import type { AnswerOf, InputOf } from "../../../model/operation-types.ts";
import { type Decided, decisionOf } from "./decided.ts";
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

/** What the form holds. */
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

/** The request of a form. */
export function mergeBodyOf(form: MergeForm, name: string, access: MergeAccess = ""): MergeBody {
  const { sources, decided } = form;
  return {
    name: name.trim(),
    ...(access !== "" && { access }),
    sourceCatalogues: sources.map(({ id, label }) => ({ id, source: label.trim() })),
    config: {
      ...configOf(form),
      ...(decided.length > 0 && { decisions: decided.map(decisionOf) }),
    },
  };
}

/** The config of a form. */
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
