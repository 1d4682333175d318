import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/** What a reader tells, in the order of the file. Lines are counted from 1. */
export type RowSink = {
  /** One readable row; `line` is where it begins. */
  readonly row: (row: JsonObject, line: number) => void;
  /** A row that could not be read. */
  readonly error: (line: number, message: string, details?: RowErrorDetails) => void;
  /** Something in a readable row, or about the file, that its reader should know. */
  readonly warning: (line: number, message: string) => void;
};

export type RowErrorDetails = {
  /** The identifier of the row's event as it stands there, where it could be read. */
  readonly publicId?: string;
  /** It is the file that cannot be read any further, not a row alone. */
  readonly fatal?: true;
  /** The file goes beyond a limit, which its sender can mend: none of it is read. */
  readonly beyondLimit?: true;
};

/** What is known of a file once all of it was read. */
export type ReadResult = {
  /** Names of the columns: the file's own for delimited text, canonical attribute names otherwise. */
  readonly headers: readonly string[];
  readonly format: UploadFormat;
};

/** The formats of an upload's answer (contract §7). */
export type UploadFormat = "csv" | "txt" | "json" | "geojson" | "quakeml";

/**
 * A reader of one format: takes the decoded text of a file piece by piece, cut anywhere but inside a
 * surrogate pair, and tells its sink the rows as soon as they are complete. It works synchronously,
 * holds no more than one row and what it has not yet cut, and never throws because of the content:
 * what cannot be read is told as an error.
 */
export type FormatReader = {
  readonly write: (text: string) => void;
  /** Tells what is left, above all that a row was cut off. Called once. */
  readonly end: () => ReadResult;
};
