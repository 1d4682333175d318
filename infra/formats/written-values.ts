/**
 * Values as agencies write them: decimal digits whose point is moved, numbers that stand for none, names
 * of event types.
 */

import {
  ATTRIBUTE_NAMES,
  type AttributeName,
  QUAKEML_EVENT_TYPES,
} from "#contracts/seismic-event/attributes.ts";
import type { JsonObject } from "#contracts/seismic-event/seismic-event.ts";

/**
 * Attributes for which some agencies write 0 when the value is unknown. No measurement is that good,
 * but elsewhere a 0 may be intended, so such files are recognised by their shape.
 */
const UNKNOWN_AT_ZERO: readonly AttributeName[] = ATTRIBUTE_NAMES.filter(
  (name) => name.endsWith("_uncertainty") || name === "standard_error" || name === "azimuthal_gap",
);

export const ZERO_IS_UNKNOWN =
  '0 stands for "not known" in files like this; it is kept under extra';

/** Magnitudes of −9 and below mean that there is none. */
const NO_MAGNITUDE = -9;
/** −9, −99, −999, −999.9, …, and the same without a sign where no value is so large: an unknown number in tables and databases. */
const NINES = /^-9+(?:\.[09]+)?$/;

type Limits = { readonly min?: number | undefined; readonly max?: number | undefined };

export function isUnknownAtZero(name: string): boolean {
  return (UNKNOWN_AT_ZERO as readonly string[]).includes(name);
}

/** Recognises GeoNet's quakesearch, as CSV or from its map service, by its names. */
export function isQuakesearch(names: readonly string[]): boolean {
  return names.includes("publicid") && names.includes("origintime");
}

/** Recognises NERIES's QuakeML 1.0 by its first tags. */
export function isNeries(head: string): boolean {
  return head.includes("quakeml.org/xmlns/quakeml/1.0") && head.includes('"smi:eu.emsc/');
}

/** Sets zeros to null and returns them, or null without any; warns once per attribute. */
export function createZeroTaker(): (
  row: JsonObject,
  warn: (message: string) => void,
) => JsonObject | null {
  const topics = new Set<string>();
  return (row, warn) => {
    let zeros: JsonObject | null = null;
    for (const name of UNKNOWN_AT_ZERO) {
      if (row[name] !== 0) continue;
      row[name] = null;
      zeros ??= {};
      zeros[name] = 0;
      if (!topics.has(name)) warn(`${name}: ${ZERO_IS_UNKNOWN}`);
      topics.add(name);
    }
    return zeros;
  };
}

/**
 * True for a number that means "unknown": nines beyond the attribute's range, but for positions, and
 * −1 where negative numbers are impossible, as in CSS 3.0 for uncertainties and counts.
 */
export function standsForUnknown(
  name: AttributeName | null,
  number: number,
  { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Limits,
): boolean {
  if (name === "magnitude" && number <= NO_MAGNITUDE) return true;
  const isPosition = name === null || name === "latitude" || name === "longitude";
  if (number > max) return !isPosition && NINES.test(String(-number));
  return number < min && (NINES.test(String(number)) || (min === 0 && number === -1));
}

/** Names outside QuakeML by their QuakeML type; "other event" as in the agencies' own QuakeML. */
const LEGACY_NAMES: Readonly<Record<string, readonly string[]>> = {
  earthquake: ["eq", "quake", "ke", "se", "fe", "de", "volcano-tectonic"],
  "quarry blast": ["quarry", "quarryblast"],
  "nuclear explosion": ["nuke", "nuclear", "kn", "sn"],
  "mining explosion": ["shot", "mine explosion", "mining blast", "km", "sm"],
  "chemical explosion": ["chemical", "chemical blast", "kh", "sh"],
  "experimental explosion": ["kx", "sx"],
  explosion: ["ex", "blast", "bomb detonation", "artillery strike"],
  landslide: ["rockfall", "rock fall", "submarine landslide", "ls"],
  "rock burst": ["rockburst", "kr", "sr"],
  "sonic boom": ["sonicboom"],
  "ice quake": ["icequake", "calving", "frost quake"],
  "induced or triggered event": [
    "induced",
    "induced earthquake",
    "induced event",
    "triggered event",
    "ki",
    "si",
  ],
  meteorite: ["meteor", "meteor impact", "atmospheric meteor explosion"],
  "volcanic eruption": ["eruption"],
  "anthropogenic event": ["anthropogenic"],
  "not existing": ["does not exist", "nonexistent"],
  "other event": [
    "other",
    "not locatable",
    "duplicate",
    "outside of network interest",
    "lahar",
    "pyroclastic flow",
    "tremor pulse",
    "moving aircraft",
    "rocket",
    "rocket launch",
    "rocket impact",
  ],
};

const QUAKEML_TYPES: ReadonlyMap<string, string> = new Map(
  QUAKEML_EVENT_TYPES.map((type) => [type.toLowerCase(), type]),
);

const TYPES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(LEGACY_NAMES).flatMap(([type, names]) =>
    names.map((name): [string, string] => [name, type]),
  ),
  ...QUAKEML_TYPES,
]);

/**
 * The QuakeML 1.2 event type for a name used by USGS, SeisComP, GeoNet or the IMS; null without one,
 * also for the IMS's `uk` (unknown). Case is ignored, underscores count as spaces. Names that begin
 * with "volcanic" are "other event", except the eruption.
 */
export function mapEventType(text: string): string | null {
  const name = spacedName(text);
  const type = TYPES.get(name);
  if (type !== undefined) return type;
  return name.startsWith("volcanic ") ? "other event" : null;
}

/** The name as enumerations spell it: lower case, with blanks for underscores. */
export function spacedName(text: string): string {
  return text.trim().replaceAll("_", " ").toLowerCase();
}

/** Such mantissas and powers of ten are exact doubles, so one division rounds only once. */
const MAX_DIGITS = 15;
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const MINUS = 45;
const POINT = 46;
const ZERO = 48;

/**
 * The number nearest to `text` · 10^`places`; NaN unless `text` is a decimal number (`Number` alone
 * also accepts blanks and hexadecimal text). Same result as `Number(shiftDecimal(text, places))`,
 * but plain decimals with few digits are read in one pass, in a quarter of the time.
 * @param places at most 0
 */
export function decimalNumber(text: string, places: number): number {
  const isNegative = text.charCodeAt(0) === MINUS;
  let mantissa = 0;
  let digits = 0;
  let point = -1;
  for (let i = isNegative ? 1 : 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digits++;
    } else if (digit === POINT - ZERO && point < 0) point = digits;
    else return slowNumber(text, places);
  }
  const fraction = point < 0 ? 0 : digits - point;
  const power = POWERS[fraction - places];
  if (digits === 0 || digits > MAX_DIGITS || power === undefined) return slowNumber(text, places);
  const value = mantissa / power;
  return isNegative ? -value : value;
}

function slowNumber(text: string, places: number): number {
  const decimal = shiftDecimal(text, places);
  return decimal === null ? Number.NaN : Number(decimal);
}

/** Sign, digits with a point anywhere, exponent; matches in one way only, so without backtracking. */
const DECIMAL = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/;

/** Longer exponents overflow or underflow, whatever the shift. */
const MAX_EXPONENT_LENGTH = 10;

/**
 * The decimal text of `text` · 10^`places`, exact because the point is moved within the text:
 * multiplying 5.1162109375 by 1000 may round, `shiftDecimal("5.1162109375", 3)` is "5116.2109375".
 * Null when `text` is not a decimal number; surrounding blanks are not accepted.
 */
export function shiftDecimal(text: string, places: number): string | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fractionOfWhole, fractionAlone, exponent] = match;
  const fraction = fractionOfWhole ?? fractionAlone ?? "";
  if (exponent !== undefined) {
    if (exponent.length > MAX_EXPONENT_LENGTH) return text;
    const shifted = Number(exponent) + places;
    return `${sign}${whole === "" ? "0" : whole}${fraction === "" ? "" : `.${fraction}`}e${shifted}`;
  }
  return sign + movePoint(whole, fraction, places);
}

function movePoint(whole: string, fraction: string, places: number): string {
  const digits = whole + fraction;
  const point = whole.length + places;
  const before = point <= 0 ? "0" : digits.slice(0, point).padEnd(point, "0");
  const after = point < 0 ? "0".repeat(-point) + digits : digits.slice(point);
  const integer = withoutLeadingZeros(before);
  return after === "" ? integer : `${integer}.${after}`;
}

function withoutLeadingZeros(digits: string): string {
  let start = 0;
  while (start < digits.length - 1 && digits.charCodeAt(start) === 48) start++;
  return start === 0 ? digits : digits.slice(start);
}

/** The text of a decimal number with the other sign; no zero has one. */
export function opposite(decimal: string): string {
  if (Number(decimal) === 0) return "0";
  return decimal.startsWith("-") ? decimal.slice(1) : `-${decimal}`;
}
