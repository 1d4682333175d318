import type { Bulletin } from "#contracts/bulletin/bulletin.ts";

type EventType = NonNullable<Bulletin["type"]>;
type Certainty = NonNullable<Bulletin["typeCertainty"]>;
type TypeAndCertainty = { readonly type: EventType; readonly typeCertainty: Certainty };

/** IMS1.0's second letter. */
const TYPES: Readonly<Record<string, EventType>> = {
  e: "earthquake",
  r: "rock burst",
  i: "induced or triggered event",
  m: "mining explosion",
  h: "chemical explosion",
  x: "experimental explosion",
  n: "nuclear explosion",
};

/** IMS1.0's first letter; the best comes last, which is written. */
const CERTAINTIES: Readonly<Record<string, Certainty>> = { s: "suspected", k: "known" };

/** Codes that are no pair of letters: damaging and felt earthquakes, landslides. */
const WHOLE: Readonly<Record<string, TypeAndCertainty>> = {
  de: { type: "earthquake", typeCertainty: "known" },
  fe: { type: "earthquake", typeCertainty: "known" },
  ls: { type: "landslide", typeCertainty: "known" },
};

/** The type of an event by its two letters; null for `uk`, which is unknown, and for other letters. */
export function eventTypeOf(letters: string): TypeAndCertainty | null {
  const lower = letters.toLowerCase();
  const type = TYPES[lower[1] ?? ""];
  const typeCertainty = CERTAINTIES[lower[0] ?? ""];
  if (type !== undefined && typeCertainty !== undefined) return { type, typeCertainty };
  return WHOLE[lower] ?? null;
}

/**
 * The letters that are read again as the event's type and certainty; null where there are none. A type
 * without certainty is written as a suspected one, which claims the least.
 */
export function lettersOf({ type, typeCertainty }: Bulletin): string | null {
  if (type === undefined) return null;
  if (type === "landslide") return "ls";
  const second = Object.keys(TYPES).find((letter) => TYPES[letter] === type);
  if (second === undefined) return null;
  return (typeCertainty === "known" ? "k" : "s") + second;
}
