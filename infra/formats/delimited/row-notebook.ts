import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { RowSink } from "../format-reader.ts";

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

export type RowNotebook = RowNotes & {
  readonly open: (line: number) => void;
  /** Adds the kept originals to the row's `extra`. */
  readonly close: (row: JsonObject, extraColumn: string) => void;
};

export function createRowNotebook(sink: Pick<RowSink, "warning">): RowNotebook {
  let line = 0;
  let kept: JsonObject | null = null;
  const told = new Set<string>();

  function warn(column: string, message: string): void {
    sink.warning(line, `${column}: ${message}`);
  }

  return {
    warn,
    warnOnce(column, message, topic = message) {
      const key = `${column}: ${topic}`;
      if (told.has(key)) return;
      told.add(key);
      warn(column, message);
    },
    keep(column, original) {
      kept ??= {};
      kept[column] = original;
    },
    open(of) {
      line = of;
      kept = null;
    },
    close(row, extraColumn) {
      if (kept !== null) row[extraColumn] = merge(row[extraColumn], kept, extraColumn);
    },
  };
}

/**
 * A value that the file itself has under a name stays; the kept original then goes under the name
 * with `.1`.
 */
function merge(given: JsonValue | undefined, kept: JsonObject, column: string): JsonObject {
  if (given === null || given === undefined) return kept;
  const extra: JsonObject =
    typeof given === "object" && !Array.isArray(given) ? { ...given } : { [column]: given };
  for (const [name, value] of Object.entries(kept)) {
    extra[Object.hasOwn(extra, name) ? `${name}.1` : name] = value;
  }
  return extra;
}
