import {
  ATTRIBUTES,
  type Attribute,
  type AttributeName,
} from "#contracts/seismic-event/attributes.ts";
import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { decimalNumber } from "../../decimal-number.ts";
import { mapEventType } from "../../legacy-event-types.ts";
import { standsForUnknown } from "../../unknown-numbers.ts";

/** A row under construction; unusable values go to `extra` by the attribute's name. */
export type RowDraft = {
  readonly row: JsonObject;
  extra: JsonObject | null;
  readonly warn: (message: string) => void;
};

const ENUMERATIONS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(ATTRIBUTES as Record<string, Attribute>).flatMap(([name, { values }]) =>
    values === undefined
      ? []
      : [[name, new Map(values.map((value): [string, string] => [value.toLowerCase(), value]))]],
  ),
);

export function keep(draft: RowDraft, name: string, value: JsonValue): void {
  draft.extra ??= {};
  draft.extra[name] = value;
}

/**
 * Sets a number after moving its decimal point by `places`. Text that is not a number, sentinels for
 * "unknown" and numbers out of range become null and are kept in `extra`; a latitude or longitude out of
 * range is set with a warning, since there is no row without them.
 */
export function putNumber(
  draft: RowDraft,
  name: AttributeName,
  given: number | string | undefined,
  places = 0,
): void {
  if (given === undefined) return;
  const attribute: Attribute = ATTRIBUTES[name];
  const isReady = typeof given === "number" && (places === 0 || given === 0);
  const value = isReady ? given : decimalNumber(String(given), places);
  const fault = faultOf(name, attribute, value, given);
  if (fault !== null) {
    putNull(draft, name, String(given), fault);
    return;
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = attribute;
  const isOutside = value < min || value > (name === "longitude" ? 360 : max);
  if (isOutside && name !== "latitude" && name !== "longitude") {
    putNull(draft, name, value, `is ${outside(min, max)}`);
    return;
  }
  draft.row[name] = value;
  if (isOutside) {
    draft.warn(`${name} ${value} is ${outside(min, max)}`);
  } else if (attribute.kind === "integer" && !Number.isInteger(value)) {
    draft.warn(`${name} ${value} is not an integer`);
  }
}

/** Agencies write −1 for "unknown" whatever the unit. */
function faultOf(
  name: AttributeName,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Attribute,
  value: number,
  given: number | string,
): string | null {
  if (!Number.isFinite(value)) return "is not a number";
  if ((value >= min && value <= max) || name === "latitude" || name === "longitude") return null;
  const isUnknown = [value, Number(given)].some((number) =>
    standsForUnknown(name, number, { min, max }),
  );
  return isUnknown ? "stands for not known" : null;
}

function outside(min: number, max: number): string {
  return max === Number.POSITIVE_INFINITY ? `less than ${min}` : `outside ${min} to ${max}`;
}

function putNull(draft: RowDraft, name: string, value: string | number, reason: string): void {
  draft.row[name] = null;
  keep(draft, name, value);
  const told = typeof value === "string" ? shorten(value) : value;
  draft.warn(`${name} ${JSON.stringify(told)} ${reason}; kept in extra`);
}

/** Sets a value of an enumeration; any other value becomes null and is kept in `extra`. */
export function putEnumeration(
  draft: RowDraft,
  name: AttributeName,
  text: string | undefined,
): void {
  if (text === undefined) return;
  const values = ENUMERATIONS.get(name);
  const value = values?.get(text) ?? values?.get(text.toLowerCase());
  if (value === undefined) putNull(draft, name, text, "is none of the values known for it");
  else draft.row[name] = value;
}

/** Sets the event type; a name outside QuakeML is mapped, and kept in `extra`. */
export function putEventType(draft: RowDraft, text: string | undefined): void {
  if (text === undefined) return;
  if (ENUMERATIONS.get("event_type")?.get(text) === text) {
    draft.row["event_type"] = text;
    return;
  }
  const type = mapEventType(text);
  if (type === null) {
    putNull(draft, "event_type", text, "is no event type");
    return;
  }
  draft.row["event_type"] = type;
  if (type === text) return;
  keep(draft, "event_type", text);
  draft.warn(`event_type ${JSON.stringify(shorten(text))} is read as ${JSON.stringify(type)}`);
}

export function putText(draft: RowDraft, name: AttributeName, text: string | undefined): void {
  if (text === undefined) return;
  draft.row[name] = text;
  const { maxLength }: Attribute = ATTRIBUTES[name];
  if (maxLength !== undefined && text.length > maxLength) {
    draft.warn(`${name} is longer than ${maxLength} characters`);
  }
}

export function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
