/** The kinds of objects in bulletins, by name, and how many there may be. */

/** The objects of bulletins that are counted, by the names that API, filters and tables have for them. */
export const COUNTED_OBJECTS = [
  "origins",
  "magnitudes",
  "station_magnitudes",
  "amplitudes",
  "picks",
  "arrivals",
  "focal_mechanisms",
] as const;

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
