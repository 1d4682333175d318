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
