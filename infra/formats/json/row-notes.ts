import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";

/** What is found while one row is read. */
export type RowNotes = {
  readonly warn: (message: string) => void;
  /** Keeps under `extra` what the row does not hold as it was given. */
  readonly keep: (name: string, value: JsonValue) => void;
};

/** The same name may be given in `extra` and beside it: neither is lost. */
export function addTo(extra: JsonObject, name: string, value: JsonValue): void {
  let free = name;
  for (let i = 1; Object.hasOwn(extra, free); i++) free = `${name}.${i}`;
  extra[free] = value;
}

/** Texts of any length are cut in messages. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
