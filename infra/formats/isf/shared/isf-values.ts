/** The confidence in % of ISF's ellipses and errors of depths. */
export const CONFIDENCE = 90;

/** ISF's letters of how an origin was found: automatic, manual, guess. */
export const MODES: Readonly<Record<string, "automatic" | "manual">> = {
  a: "automatic",
  m: "manual",
  g: "manual",
};

/** SEED's empty location in ISF's columns. */
export const EMPTY_LOCATION = "--";

/** The flags of a phase's line by the weight that they are about. */
export const FLAGS = {
  timeWeight: "T",
  backazimuthWeight: "A",
  horizontalSlownessWeight: "S",
} as const;
export type WeightName = keyof typeof FLAGS;
export const WEIGHTS = Object.keys(FLAGS) as WeightName[];
/** The flag of a value that was not used. */
export const UNUSED = "_";
