import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { BulletinPart } from "#contracts/bulletin/parts.ts";
import { LISTED_KINDS } from "./objects-by-id.ts";

/**
 * A bulletin with objects of the given kinds only; references stay as they are. Arrivals stand in
 * origins, which they bring.
 */
export function selectedParts(bulletin: Bulletin, parts: ReadonlySet<BulletinPart>): Bulletin {
  const wanted = parts.has("arrival") ? new Set([...parts, "origin"]) : parts;
  const rest: Record<string, unknown> = { ...bulletin };
  for (const kind of LISTED_KINDS) if (!wanted.has(kind)) delete rest[kind];
  if (!parts.has("arrival") && wanted.has("origin") && bulletin.origin !== undefined) {
    rest["origin"] = bulletin.origin.map(({ arrival: _, ...origin }) => origin);
  }
  return rest as Bulletin;
}
