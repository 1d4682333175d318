import { NO_BOUNDS } from "#contracts/domain-events/catalogue-events.ts";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";

/**
 * A catalogue as guests see it: without its creator, and a private one also without times and places
 * of its events and the sources of its merge. With few events, bounds would reveal each of them.
 */
export function guestView(catalogue: Catalogue): Catalogue {
  const byNobody = { ...catalogue, created_by: null };
  if (catalogue.is_public) return byNobody;
  return { ...byNobody, ...NO_BOUNDS, merge_config: null, source_catalogues: null };
}

export function withoutActor(version: CatalogueVersion): CatalogueVersion {
  return { ...version, actor: null };
}
