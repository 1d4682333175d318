import type { CatalogueAccess } from "#contracts/rights.ts";

/** Who reads a catalogue, by its access. */
export const READERS: Readonly<Record<CatalogueAccess, string>> = {
  public: "Everybody reads it, without an account.",
  internal: "Everybody who is signed in reads it; guests see its name alone.",
  restricted: "Only its members and administrators see that it exists; a share of it still works.",
};
