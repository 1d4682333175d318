import type { CatalogueAccess } from "#contracts/rights.ts";
import { READERS } from "./text/access.ts";

/** Who reads a catalogue, in a word; what it means on hovering. */
export function AccessBadge({ access }: { readonly access: CatalogueAccess }) {
  return (
    <span class={access === "restricted" ? "badge warning" : "badge"} title={READERS[access]}>
      {access}
    </span>
  );
}
