import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** Remarks of cell readers on the current row. */
export type RowNotes = {
  readonly warn: (column: string, message: string) => void;
  /** Warns once per column and `topic`, which is the message by default. */
  readonly warnOnce: (column: string, message: string, topic?: string) => void;
  /** Keeps the original of a value that the row holds changed. */
  readonly keep: (column: string, original: JsonValue) => void;
};

/** The value of one cell. Blanks around unquoted text are removed already. */
export type CellReader = (text: string, notes: RowNotes) => JsonValue;

/** Changes or checks a row after all its cells were read. */
export type RowFinisher = (row: JsonObject, fields: readonly string[], notes: RowNotes) => void;
