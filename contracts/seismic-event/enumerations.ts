/** Enumerations of QuakeML 1.2 BED, with the standard's own spelling. */

export const QUAKEML_EVENT_TYPES = [
  "not existing",
  "not reported",
  "earthquake",
  "anthropogenic event",
  "collapse",
  "cavity collapse",
  "mine collapse",
  "building collapse",
  "explosion",
  "accidental explosion",
  "chemical explosion",
  "controlled explosion",
  "experimental explosion",
  "industrial explosion",
  "mining explosion",
  "quarry blast",
  "road cut",
  "blasting levee",
  "nuclear explosion",
  "induced or triggered event",
  "rock burst",
  "reservoir loading",
  "fluid injection",
  "fluid extraction",
  "crash",
  "plane crash",
  "train crash",
  "boat crash",
  "other event",
  "atmospheric event",
  "sonic boom",
  "sonic blast",
  "acoustic noise",
  "thunder",
  "avalanche",
  "snow avalanche",
  "debris avalanche",
  "hydroacoustic event",
  "ice quake",
  "slide",
  "landslide",
  "rockslide",
  "meteorite",
  "volcanic eruption",
] as const;

export const EVENT_TYPE_CERTAINTIES = ["known", "suspected"] as const;

export const EVALUATION_MODES = ["manual", "automatic"] as const;

export const EVALUATION_STATUSES = [
  "preliminary",
  "confirmed",
  "reviewed",
  "final",
  "rejected",
] as const;

export const DEPTH_TYPES = [
  "from location",
  "from moment tensor inversion",
  "from modeling of broad-band P waveforms",
  "constrained by depth phases",
  "constrained by direct phases",
  "constrained by depth and direct phases",
  "operator assigned",
  "other",
] as const;
