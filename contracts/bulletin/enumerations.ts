/** Enumerations of QuakeML 1.2 BED that only bulletins have, with the standard's own spelling. */

export const ONSETS = ["emergent", "impulsive", "questionable"] as const;

export const POLARITIES = ["positive", "negative", "undecidable"] as const;

export const AMPLITUDE_CATEGORIES = [
  "point",
  "mean",
  "duration",
  "period",
  "integral",
  "other",
] as const;

export const AMPLITUDE_UNITS = [
  "m",
  "s",
  "m/s",
  "m/(s*s)",
  "m*s",
  "dimensionless",
  "other",
] as const;

export const DESCRIPTION_TYPES = [
  "felt report",
  "Flinn-Engdahl region",
  "local time",
  "tectonic summary",
  "nearest cities",
  "earthquake name",
  "region name",
] as const;

export const ORIGIN_TYPES = [
  "hypocenter",
  "centroid",
  "amplitude",
  "macroseismic",
  "rupture start",
  "rupture end",
] as const;

export const UNCERTAINTY_DESCRIPTIONS = [
  "horizontal uncertainty",
  "uncertainty ellipse",
  "confidence ellipsoid",
] as const;

export const TENSOR_CATEGORIES = ["teleseismic", "regional"] as const;

export const INVERSION_TYPES = ["general", "zero trace", "double couple"] as const;

export const WAVE_TYPES = [
  "P waves",
  "body waves",
  "surface waves",
  "mantle waves",
  "combined",
  "unknown",
] as const;

export const SOURCE_TIME_FUNCTIONS = ["box car", "triangle", "trapezoid", "unknown"] as const;
