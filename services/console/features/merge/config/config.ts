import type { MergeConfig } from "#contracts/merges/config.ts";
import type { CatalogueAccess } from "#contracts/rights.ts";
import type { AnswerOf, InputOf } from "../../../api/call.ts";

/** What only some merges have; an absent member leaves the service its default. */
type FurtherConfig = Pick<
  MergeConfig,
  "follow" | "prefer" | "minMagnitudeStations" | "windows" | "conversions"
>;
type Window = NonNullable<FurtherConfig["windows"]>[number];
type Conversion = NonNullable<FurtherConfig["conversions"]>[number];
type OwnConversion = Exclude<Conversion, string>;

/** The members of a config that a form has filled in. */
function furtherConfigOf(form: FurtherForm): FurtherConfig {
  const prefer = preferOf(form);
  const stations = form.minMagnitudeStations.trim();
  return {
    ...(Object.keys(prefer).length > 0 && { prefer }),
    ...(stations !== "" && { minMagnitudeStations: Number(stations) }),
    ...(form.windows.length > 0 && { windows: form.windows.map(windowOf) }),
    ...(form.conversions.length > 0 && { conversions: conversionsOf(form.conversions) }),
    ...(form.follow && { follow: true }),
  };
}

/** The form that makes such a config. */
function furtherFormOf(config: FurtherConfig): FurtherForm {
  return {
    prefer: {
      location: preferEntryOf(config, "location"),
      magnitude: preferEntryOf(config, "magnitude"),
      mechanism: preferEntryOf(config, "mechanism"),
    },
    minMagnitudeStations: typed(config.minMagnitudeStations),
    windows: (config.windows ?? []).map(windowEntryOf),
    conversions: (config.conversions ?? []).map(conversionEntryOf),
    follow: config.follow ?? false,
  };
}

function preferOf({ prefer }: FurtherForm): NonNullable<FurtherConfig["prefer"]> {
  const given = (Object.keys(prefer) as PreferPart[]).flatMap((part) => {
    const { by, agencies } = prefer[part];
    if (by === "") return [];
    return [[part, by === "agencies" ? listOf(agencies) : by] as const];
  });
  return Object.fromEntries(given);
}

function preferEntryOf({ prefer }: FurtherConfig, part: PreferPart) {
  const value = prefer?.[part];
  if (value === undefined) return NOTHING_FURTHER.prefer[part];
  return typeof value === "string"
    ? { by: value, agencies: "" }
    : { by: "agencies" as const, agencies: value.join(", ") };
}

function windowOf(entry: WindowEntry): Window {
  const { sources, from, to, minMagnitude, isExempt, timeThreshold, distanceThreshold } = entry;
  return {
    ...(sources.length > 0 && { sources: [...sources] }),
    ...(from.trim() !== "" && { from: isoOf(from) }),
    ...(to.trim() !== "" && { to: isoOf(to) }),
    ...(minMagnitude.trim() !== "" && { minMagnitude: Number(minMagnitude) }),
    timeThreshold: isExempt ? null : Number(timeThreshold),
    distanceThreshold: isExempt ? null : Number(distanceThreshold),
  };
}

function windowEntryOf(window: Window): WindowEntry {
  return {
    ...NEW_WINDOW,
    sources: window.sources ?? [],
    from: shortTime(window.from),
    to: shortTime(window.to),
    minMagnitude: typed(window.minMagnitude),
    isExempt: window.timeThreshold === null,
    timeThreshold: typed(window.timeThreshold),
    distanceThreshold: typed(window.distanceThreshold),
  };
}

/** The relations of a list of choices, as the API takes them. */
export function conversionsOf(choices: readonly ConversionChoice[]): Conversion[] {
  return choices.map((choice) => (typeof choice === "string" ? choice : ownConversionOf(choice)));
}

function ownConversionOf(entry: ConversionEntry): OwnConversion {
  const text = (name: ConversionPart) => entry[name]?.trim() ?? "";
  const number = (name: ConversionPart) => Number(entry[name] ?? "");
  return {
    name: text("name"),
    from: text("from"),
    ...(text("agency") !== "" && { agency: text("agency") }),
    to: text("to"),
    slope: number("slope"),
    intercept: number("intercept"),
    sigma: number("sigma"),
    range: [number("least"), number("most")],
    reference: text("reference"),
  };
}

function conversionEntryOf(conversion: Conversion): ConversionChoice {
  if (typeof conversion === "string") return conversion;
  const {
    range: [least, most],
    ...others
  } = conversion;
  const parts = Object.entries({ ...others, least, most });
  return Object.fromEntries(parts.map(([name, value]) => [name, String(value)]));
}

function typed(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

function listOf(typedList: string): string[] {
  return typedList
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** A year, a day or a time in UTC as people write it, as ISO 8601: "1964", "2024-01-31 12:00". */
function isoOf(typedTime: string): string {
  const text = typedTime.trim().replace(/\s+/, "T");
  if (/^\d{1,4}$/.test(text)) return `${text.padStart(4, "0")}-01-01T00:00:00Z`;
  if (/^\d{4}-\d\d$/.test(text)) return `${text}-01T00:00:00Z`;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00:00Z`;
  if (/T\d\d:\d\d$/.test(text)) return `${text}:00Z`;
  return /T\d\d:\d\d:\d\d(?:\.\d+)?$/.test(text) ? `${text}Z` : text;
}

/** A time without what is nothing: "1964-01-01" of its midnight. */
function shortTime(iso: string | undefined): string {
  if (iso === undefined) return "";
  return iso
    .replace(/T00:00(?::00(?:\.0+)?)?Z$/, "")
    .replace("T", " ")
    .replace("Z", "");
}

/** Whose value is taken of one part of an earthquake: as the whole is chosen, by another strategy, or by agencies. */
type PreferEntry = {
  readonly by: Strategy | "" | "agencies";
  /** The best first, with commas between. */
  readonly agencies: string;
};

export type PreferPart = "location" | "magnitude" | "mechanism";

/** Thresholds of some pairs, as they were typed; what is empty holds for all. */
export type WindowEntry = Readonly<
  Record<"from" | "to" | "minMagnitude" | "timeThreshold" | "distanceThreshold", string>
> & {
  readonly sources: readonly string[];
  /** Such events are never one with others. */
  readonly isExempt: boolean;
};

type ConversionPart = Exclude<keyof OwnConversion, "range"> | "least" | "most";
/** A relation between two types of magnitude, as it was typed; what is not there is empty. */
export type ConversionEntry = Readonly<Partial<Record<ConversionPart, string>>>;

/** The name of a known relation, or one of one's own; the first that fits a magnitude is taken. */
export type ConversionChoice = string | ConversionEntry;

export type FurtherForm = {
  readonly prefer: Readonly<Record<PreferPart, PreferEntry>>;
  readonly minMagnitudeStations: string;
  readonly windows: readonly WindowEntry[];
  readonly conversions: readonly ConversionChoice[];
  readonly follow: boolean;
};

const AS_THE_WHOLE: PreferEntry = { by: "", agencies: "" };

const NOTHING_FURTHER: FurtherForm = {
  prefer: { location: AS_THE_WHOLE, magnitude: AS_THE_WHOLE, mechanism: AS_THE_WHOLE },
  minMagnitudeStations: "",
  windows: [],
  conversions: [],
  follow: false,
};

export const NEW_WINDOW: WindowEntry = {
  sources: [],
  from: "",
  to: "",
  minMagnitude: "",
  isExempt: false,
  timeThreshold: "",
  distanceThreshold: "",
};

export const NEW_CONVERSION: ConversionEntry = { to: "Mw" };

export type Strategy = MergeConfig["mergeStrategy"];
export type Linkage = MergeConfig["linkage"];

type Option<T> = { readonly value: T; readonly text: string; readonly hint: string };

export const STRATEGIES: readonly Option<Strategy>[] = [
  option(
    "quality",
    "best quality",
    "The solution that scores best by its stations, gap, residuals, magnitude and review.",
  ),
  option(
    "priority",
    "preferred source",
    "The solution of one source where it has one, else of the first source in the list.",
  ),
  option(
    "average",
    "average",
    "The mean time and place, weighted by uncertainty. Magnitudes are chosen, never averaged.",
  ),
  option("newest", "latest time", "The solution with the latest origin time."),
  option("complete", "most complete", "The solution with the most attributes known."),
];

export const LINKAGES: readonly Option<Linkage>[] = [
  option(
    "complete",
    "complete",
    "All events of a group must be within both thresholds of each other.",
  ),
  option(
    "nearest",
    "nearest",
    "One pair within the thresholds is enough to join two groups, so chains can form.",
  ),
];

function option<T>(value: T, text: string, hint: string): Option<T> {
  return { value, text, hint };
}

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
