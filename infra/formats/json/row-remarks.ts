import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** Remarks on the current row. */
export type RowRemarks = {
  readonly warn: (message: string) => void;
  /** Keeps under `extra` an original that the row holds changed or not at all. */
  readonly keep: (name: string, value: JsonValue) => void;
};

/** Keeps both values when a name occurs in `extra` and beside it. */
export function addTo(extra: JsonObject, name: string, value: JsonValue): void {
  let free = name;
  for (let i = 1; Object.hasOwn(extra, free); i++) free = `${name}.${i}`;
  extra[free] = value;
}

/** Shortens long texts for messages. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
