import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { CatalogueMetadata } from "#contracts/catalogue-metadata.ts";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";

/**
 * An event for export, with one value per name in EXPORT_FIELDS: text, or null if unknown. Numbers
 * are decimal texts that parse to exactly the same number (`5.2`, `1e-07`), times are canonical (ISO
 * 8601 UTC, digits as given), structures are JSON texts. PostgreSQL returns rows in this form and
 * most writers pass the texts on: parsing and printing a million numbers would take seconds.
 */
export type ExportRow = readonly (string | null)[];

export const EXPORT_FIELDS = ["id", "time", ...ATTRIBUTE_NAMES, ...STRUCTURED_NAMES] as const;
export type ExportField = (typeof EXPORT_FIELDS)[number];

export const FIELD = Object.fromEntries(
  EXPORT_FIELDS.map((name, index) => [name, index]),
) as Readonly<Record<ExportField, number>>;

/** Where an export row has the SHA-256 of its bulletin, in hex, behind its fields; null without one. */
export const BULLETIN_SHA256 = EXPORT_FIELDS.length;

/** What most files tell of their catalogue. */
export type CitedCatalogue = Pick<Catalogue, "id" | "name" | "metadata">;

/** The exported catalogue, for the head of a file: whole, but for what is the service's alone, or what most files tell. */
export type ExportedCatalogue<Told = Omit<Catalogue, "access" | "editing" | "parts">> = {
  readonly catalogue: Told;
  /** The exported version, not necessarily the latest. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly exportedAt: string;
  /** Whether members of merged events are nameless in it: their catalogues are not there for the reader. */
  readonly isRedacted?: boolean;
};

/**
 * A writer of one format for one file: `begin`, a `row` for each event, `end`. Keeps no rows. A format
 * that shows bulletins is given that of each event, null for none.
 */
export type FormatWriter = {
  readonly begin: () => string;
  readonly row: (row: ExportRow, bulletin?: Bulletin | null) => string;
  readonly end: () => string;
};

export type CreateFormatWriter = (exported: ExportedCatalogue) => FormatWriter;

/** A writer of one format of whole bulletins for one file: `begin`, an `event` for each, `end`. */
export type BulletinWriter = {
  readonly begin: () => string;
  readonly event: (bulletin: Bulletin) => string;
  readonly end: () => string;
};

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
