import { MAX_WKT_VERTICES } from "../geometry/wkt.ts";

/** A filter that is no CQL2, or of a part of it that is not known here; the message tells where. */
export class Cql2Fault extends Error {
  /** @param at the number of the character from 1, or the path of a member of JSON; null for the whole */
  constructor(reason: string, at: Place) {
    super(
      typeof at === "number" ? `${reason} (character ${at})` : at ? `${reason} (${at})` : reason,
    );
  }
}

export type Place = number | string | null;

/** Of a filter: 500 places in full precision have some 20,000 characters; each condition may be asked of a million rows. */
export const CQL2_LIMITS = {
  characters: 32_768,
  depth: 50,
  conditions: 100,
  vertices: MAX_WKT_VERTICES,
} as const;
