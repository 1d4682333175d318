import type { Strategy } from "./strategies.ts";

/** Whose value is taken of one part of an earthquake: as the whole is chosen, by another strategy, or by agencies. */
type PreferEntry = {
  readonly by: Strategy | "" | "agencies";
  /** The best first, with commas between. */
  readonly agencies: string;
};

export type PreferPart = "location" | "magnitude" | "mechanism";

/** Thresholds of some pairs; what is empty holds for all. */
export type WindowEntry = {
  /** Labels. */
  readonly sources: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly minMagnitude: string;
  /** Such events are never one with others. */
  readonly isExempt: boolean;
  readonly timeThreshold: string;
  readonly distanceThreshold: string;
};

/** A relation between two types of magnitude, as it was typed. */
export type ConversionEntry = {
  readonly name: string;
  readonly from: string;
  readonly agency: string;
  readonly to: string;
  readonly slope: string;
  readonly intercept: string;
  readonly sigma: string;
  /** The magnitudes for which it holds. */
  readonly least: string;
  readonly most: string;
  readonly reference: string;
};

/** The name of a known relation, or one of one's own; the first that fits a magnitude is taken. */
export type ConversionChoice = string | ConversionEntry;

/** What few merges need, as it was typed. */
export type FurtherForm = {
  readonly prefer: Readonly<Record<PreferPart, PreferEntry>>;
  readonly minMagnitudeStations: string;
  readonly windows: readonly WindowEntry[];
  readonly conversions: readonly ConversionChoice[];
  readonly follow: boolean;
};

const AS_THE_WHOLE: PreferEntry = { by: "", agencies: "" };

export const NOTHING_FURTHER: FurtherForm = {
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

export const NEW_CONVERSION: ConversionEntry = {
  name: "",
  from: "",
  agency: "",
  to: "Mw",
  slope: "",
  intercept: "",
  sigma: "",
  least: "",
  most: "",
  reference: "",
};
