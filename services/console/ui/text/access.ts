import type { CatalogueAccess } from "#contracts/catalogue-rights.ts";

/** Who reads a catalogue: as the answer to that question, and what it means. */
export const READERS: Readonly<
  Record<CatalogueAccess, { readonly who: string; readonly means: string }>
> = {
  public: { who: "everybody", means: "Everybody reads it, without an account." },
  internal: {
    who: "everybody who is signed in",
    means: "Everybody who is signed in reads it; guests see its name alone.",
  },
  restricted: {
    who: "only its members",
    means: "Only its members and administrators see that it exists; a share of it still works.",
  },
};
