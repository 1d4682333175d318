/** The kinds of objects in bulletins, by name, and how many there may be. */

/** The objects of bulletins that are counted, as API, filters and tables name them, and QuakeML's elements. */
export const ELEMENT_OF = {
  origins: "origin",
  magnitudes: "magnitude",
  station_magnitudes: "stationMagnitude",
  amplitudes: "amplitude",
  picks: "pick",
  arrivals: "arrival",
  focal_mechanisms: "focalMechanism",
} as const;

export type CountedObject = keyof typeof ELEMENT_OF;
export const COUNTED_OBJECTS = Object.keys(ELEMENT_OF) as readonly CountedObject[];

/** The kinds of elements that readers count. */
export const ELEMENT_KINDS = ["event", ...Object.values(ELEMENT_OF), "comment"] as const;
export type ElementKind = (typeof ELEMENT_KINDS)[number];

/** The kinds of objects by which a part of a bulletin is asked for, by QuakeML's names. */
export const BULLETIN_PARTS = [
  "origin",
  "arrival",
  "magnitude",
  "stationMagnitude",
  "amplitude",
  "pick",
  "focalMechanism",
] as const;

export type BulletinPart = (typeof BULLETIN_PARTS)[number];

/** Bytes of one bulletin's canonical JSON, at most. */
export const MAX_BULLETIN_BYTES = 64 * 1024 * 1024;

/** Elements of the counted kinds in one bulletin, at most. */
export const MAX_BULLETIN_ELEMENTS = 1_000_000;
