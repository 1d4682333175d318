import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ExportRow } from "./export-row.ts";

/** What is exported, for the head of a file. */
export type ExportedCatalogue = {
  readonly catalogue: Catalogue;
  /** The version that is read, which may be an older one than the catalogue's. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly exportedAt: string;
};

/**
 * A writer of one format for one file. The pieces joined are the file: `begin`, `row` for each event,
 * `end`. Synchronous and without memory of the rows.
 */
export type FormatWriter = {
  readonly begin: () => string;
  readonly row: (row: ExportRow) => string;
  readonly end: () => string;
};

export type CreateFormatWriter = (exported: ExportedCatalogue) => FormatWriter;
