import { existing } from "#services/domain/catalogue/decide.ts";
import type { CatalogueState, ExistingCatalogue } from "#services/domain/catalogue/state.ts";
import { Refusal } from "#services/domain/errors.ts";

/** Whether the catalogue is still the one that the client has seen (`If-Match`); null asks nothing. */
export type Precondition = ((catalogue: ExistingCatalogue) => boolean) | null;

/** @throws Refusal not-found, precondition */
export function requireTag(state: CatalogueState, precondition: Precondition): void {
  const catalogue = existing(state);
  if (precondition && !precondition(catalogue)) {
    throw new Refusal("precondition", "The catalogue has changed since it was read");
  }
}
