/** How SCML spells an enumeration of QuakeML. Words that are not named here are the same in both. */
export type Words = {
  /** QuakeML's value → SCML's word for it. */
  readonly words?: Readonly<Record<string, string>>;
  /** QuakeML's value without a word in SCML → the one that comes nearest. */
  readonly nearest?: Readonly<Record<string, string>>;
  /** SCML's words without a value in QuakeML; "any" where SCML takes any text. */
  readonly further?: readonly string[] | "any";
};

/** Values of SCML 0.13; 0.7 to 0.12 have fewer of them, 0.14 the same. */
export const EVENT_TYPE: Words = {
  words: { "other event": "other" },
  further: [
    "not locatable",
    "outside of network interest",
    "induced earthquake",
    "meteor impact",
    "duplicate",
    "calving",
    "frost quake",
    "tremor pulse",
    "submarine landslide",
    "rocket launch",
    "rocket",
    "rocket impact",
    "artillery strike",
    "bomb detonation",
    "moving aircraft",
    "atmospheric meteor explosion",
    "volcano-tectonic",
    "volcanic long-period",
    "volcanic very-long-period",
    "volcanic hybrid",
    "volcanic rockfall",
    "volcanic tremor",
    "pyroclastic flow",
    "lahar",
  ],
};

export const TYPE_CERTAINTY: Words = { further: ["damaging", "felt"] };

export const EVALUATION_STATUS: Words = { further: ["reported"] };

export const DEPTH_TYPE: Words = {
  nearest: { "constrained by depth and direct phases": "other" },
};

export const UNCERTAINTY_DESCRIPTION: Words = { further: ["probability density function"] };

export const AMPLITUDE_UNIT: Words = { further: "any" };

export const WAVE_TYPE: Words = {
  words: { "P waves": "P body waves", "mantle waves": "long-period mantle waves" },
  nearest: { combined: "unknown" },
};

export const INVERSION_TYPE: Words = {
  words: {
    general: "CMT - general moment tensor",
    "zero trace": "CMT - moment tensor with zero trace",
    "double couple": "CMT - double-couple source",
  },
};
