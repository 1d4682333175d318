import { MINUS } from "../plots/number-text.ts";
import type { Text } from "./filter.ts";

/** A value as it stands in words, with minus signs; as it is asked or as it was read. */
export function valueText(value: unknown): Text {
  if (value === undefined || value === null || value === "") return null;
  if (Array.isArray(value)) return value.join(", ");
  return String(value)
    .split(",")
    .map((part) => part.trim().replace(/^-(?=[\d.])/, MINUS))
    .join(", ");
}

export function rangeText(name: string, unit: string, from: Text, to: Text): Text {
  if (from !== null && to !== null) return `${name} ${from} to ${to}${unit}`;
  if (from !== null) return `${name} ≥ ${from}${unit}`;
  return to === null ? null : `${name} ≤ ${to}${unit}`;
}

export function timeText(start: Text, end: Text): Text {
  const [from, to] = [start, end].map((time) => time?.replace(/T00:00(:00(\.0+)?)?Z?$/, ""));
  if (from && to) return `${from} to ${to}`;
  if (from) return `from ${from}`;
  return to ? `until ${to}` : null;
}

type CircleTexts = {
  readonly [N in "latitude" | "longitude" | "minRadiusKm" | "maxRadiusKm"]: Text;
};

export function circleText({
  latitude,
  longitude,
  minRadiusKm: least,
  maxRadiusKm: most,
}: CircleTexts): Text {
  if (latitude === null || longitude === null) return null;
  const place = `${degrees(latitude, "N", "S")} ${degrees(longitude, "E", "W")}`;
  if (most === null) return `${least === null ? "" : `≥ ${least} km `}from ${place}`;
  return least === null ? `within ${most} km of ${place}` : `${least} to ${most} km from ${place}`;
}

function degrees(text: string, positive: string, negative: string): string {
  return text.startsWith(MINUS) ? `${text.slice(1)}° ${negative}` : `${text}° ${positive}`;
}
