import { type ExportRow, FIELD } from "../format-writer.ts";

/**
 * ComCat's title of an event: `M 4.5 - place`, with the type of what is no earthquake
 * (`M 2.1 Quarry Blast - place`) and `?` for an unknown magnitude.
 */
export function eventTitle(row: ExportRow, place: string): string {
  const type = row[FIELD.event_type] ?? "earthquake";
  const words = type === "earthquake" ? "" : ` ${type.replaceAll(/\b[a-z]/g, capital)}`;
  return `M ${size(row[FIELD.magnitude] ?? null)}${words} - ${place}`;
}

function size(magnitude: string | null): string {
  if (magnitude === null) return "?";
  const text = Number(magnitude).toFixed(1);
  return text === "-0.0" ? "0.0" : text;
}

function capital(letter: string): string {
  return letter.toUpperCase();
}
