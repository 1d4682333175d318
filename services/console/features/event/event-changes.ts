import {
  attributeOf,
  type EventValues,
  FIELD_NAMES,
  type FieldName,
} from "../../ui/text/attribute-names.ts";

/** An event's attributes as they stand in fields; what is not known is empty. */
export type EventTexts = Readonly<Partial<Record<FieldName, string>>>;

export function textsOf(event: EventValues): EventTexts {
  return Object.fromEntries(FIELD_NAMES.map((name) => [name, String(event[name] ?? "")]));
}

/** What was typed that differs from the event: numbers as numbers, emptied fields as null. */
export function changesOf(
  event: EventValues,
  typed: EventTexts,
): Record<string, string | number | null> {
  const changes: Record<string, string | number | null> = {};
  const before = textsOf(event);
  for (const name of FIELD_NAMES) {
    const text = (typed[name] ?? "").trim();
    if (text === before[name]) continue;
    changes[name] = text === "" ? null : readValue(name, text);
  }
  return changes;
}

/** What cannot be read as a number is sent as it is: the service says what is wrong with it. */
function readValue(name: FieldName, text: string): string | number {
  if (name === "time") return text;
  const { kind } = attributeOf(name);
  const isNumber = kind === "number" || kind === "integer";
  return isNumber && !Number.isNaN(Number(text)) ? Number(text) : text;
}
