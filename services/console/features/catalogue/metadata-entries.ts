import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";

export type CreatorEntry = { readonly name: string; readonly orcid: string; readonly ror: string };

/** What a form holds of a catalogue's metadata: all as typed, references a line each. */
export type MetadataEntries = {
  readonly title: string;
  readonly description: string;
  readonly creators: readonly CreatorEntry[];
  readonly publisher: string;
  readonly license: string;
  readonly doi: string;
  readonly references: string;
};

export const NO_CREATOR: CreatorEntry = { name: "", orcid: "", ror: "" };

export function entriesOf(metadata: CatalogueMetadata | null): MetadataEntries {
  const { title = "", description = "", publisher = "", license = "", doi = "" } = metadata ?? {};
  return {
    title,
    description,
    creators: (metadata?.creators ?? []).map(({ name, orcid = "", ror = "" }) => ({
      name,
      orcid,
      ror,
    })),
    publisher,
    license,
    doi,
    references: (metadata?.references ?? []).join("\n"),
  };
}

/** What is sent: null where nothing is entered. Creators that are empty are left out. */
export function metadataOf(entries: MetadataEntries): CatalogueMetadata | null {
  const { creators, references, ...texts } = entries;
  const people = creators.map(given).filter((creator) => Object.keys(creator).length > 0);
  const addresses = references
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  const metadata = {
    ...given(texts),
    ...(people.length > 0 && { creators: people as NonNullable<CatalogueMetadata["creators"]> }),
    ...(addresses.length > 0 && { references: addresses }),
  };
  return Object.keys(metadata).length > 0 ? metadata : null;
}

/** The index, among the creators that are sent, of one of the form. */
export function sentIndex(creators: readonly CreatorEntry[], index: number): number {
  const before = creators.slice(0, index);
  return before.filter((creator) => Object.keys(given(creator)).length > 0).length;
}

/** The texts that are not empty. */
function given<T extends Readonly<Record<string, string>>>(texts: T): Partial<T> {
  const entries = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(entries.filter(([, text]) => text !== "")) as Partial<T>;
}
