import type { Catalogue } from "#contracts/http/catalogues.ts";
import type { ExportRow } from "./export-row.ts";

/** The exported catalogue, for the head of a file. */
export type ExportedCatalogue = {
  readonly catalogue: Catalogue;
  /** The exported version, not necessarily the latest. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly exportedAt: string;
};

/**
 * A writer of one format for one file. The file is the concatenation of `begin`, `row` for each
 * event, and `end`. Synchronous, and keeps no rows.
 */
export type FormatWriter = {
  readonly begin: () => string;
  readonly row: (row: ExportRow) => string;
  readonly end: () => string;
};

export type CreateFormatWriter = (exported: ExportedCatalogue) => FormatWriter;
