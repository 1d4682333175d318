import { Refusal } from "#contracts/errors.ts";
import { existing } from "#services/domain/catalogue/decide.ts";
import type { CatalogueState, ExistingCatalogue } from "#services/domain/catalogue/state.ts";

/** Whether the catalogue is unchanged since the client read it (`If-Match`); null for no condition. */
export type Precondition = ((catalogue: ExistingCatalogue) => boolean) | null;

/** @throws Refusal NOT_FOUND, PRECONDITION_FAILED */
export function requireTag(state: CatalogueState, precondition: Precondition): void {
  const catalogue = existing(state);
  if (precondition && !precondition(catalogue)) {
    throw new Refusal("PRECONDITION_FAILED", "The catalogue has changed since it was read");
  }
}
