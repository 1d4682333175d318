import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";

/** What a catalogue is cited by, as lines for people; "" for nothing. */
export function metadataText(metadata: CatalogueMetadata | null): string {
  if (metadata === null) return "";
  const { title, description, creators, publisher, license, doi, references } = metadata;
  const names = creators?.map(({ name, orcid, ror }) => {
    const ids = [orcid, ror].filter((id) => id !== undefined).join(", ");
    return ids === "" ? name : `${name} (${ids})`;
  });
  const fields: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Creators", names?.join("; ")],
    ["Publisher", publisher],
    ["License", license],
    ["DOI", doi],
    ["References", references?.join(" ")],
  ];
  const lines = fields.flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  return [title, description, ...lines].filter(Boolean).join("\n");
}
