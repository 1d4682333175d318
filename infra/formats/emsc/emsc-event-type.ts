import { type ExportRow, FIELD } from "../format-writer.ts";

/** The second letter of IMS 1.0's event types, which EMSC uses; the first says how certain the type is. */
const IMS_LETTERS: ReadonlyMap<string, string> = new Map([
  ["earthquake", "e"],
  ["nuclear explosion", "n"],
  ["mining explosion", "m"],
  ["chemical explosion", "h"],
  ["experimental explosion", "x"],
  ["rock burst", "r"],
  ["induced or triggered event", "i"],
]);

/**
 * The type in IMS 1.0's two letters: `ke` a known, `se` a suspected earthquake, `ls` a landslide, `uk` unknown.
 * A type without letters has QuakeML's name.
 */
export function emscEventType(row: ExportRow): string {
  const type = row[FIELD.event_type] ?? null;
  if (type === null) return "uk";
  if (type === "landslide") return "ls";
  const letter = IMS_LETTERS.get(type);
  if (letter === undefined) return type;
  return (row[FIELD.event_type_certainty] === "suspected" ? "s" : "k") + letter;
}
