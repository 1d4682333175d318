import { ATTRIBUTES, type Attribute, type AttributeName } from "./attributes.ts";
import { isMagnitudeType, magnitudeTypeOfName } from "./magnitude-types.ts";
import { isUnitNotRead, placesOfUnit } from "./written-units.ts";

/** What a name says beside what it names: `km` in `Depth (km)`, `UTC` in `utc_time`. */
type QualifiedName = {
  readonly base: string;
  readonly qualifier: { readonly text: string; readonly inBrackets: boolean };
};

/** What a qualifier means for a field; `fault` says in a few words why its values cannot be read. */
export type Qualifier =
  | { readonly places?: number; readonly magnitudeType?: string }
  | { readonly fault: string };

const BRACKETS: Readonly<Record<string, string>> = {
  ")": "(",
  "]": "[",
  "}": "{",
  "）": "（",
  "］": "［",
};
const UTC = new Set("utc gmt ut utc0 utc+0 utc+00:00 gmt+0 z zulu universal".split(" "));
/** Zones that names of columns have without brackets, where any other word is no zone. */
const ZONES = new Set(
  "local lt lmt jst kst ist cst bjt hkt wib est edt cdt mst mdt pst pdt akst hst cet cest eet eest msk trt nzst nzdt nzt aest aedt".split(
    " ",
  ),
);
/** Formats of times and what is said of columns of numbers. */
const IS_FORMAT = /^iso|yy|h:?m|^24|^m?s$/i;
const SAYS_NOTHING = /^(?:wgs.*|decimal.*|°?[ne])$/i;

/** The ways to take a name apart: `Depth (km)`, `depth_km`, `Depth in m`, `UTC Time`, `DepthKm`. */
export function qualifiedNames(name: string): QualifiedName[] {
  const own = name.trim();
  const open = BRACKETS[own.slice(-1)];
  if (open !== undefined) {
    const start = own.lastIndexOf(open);
    if (start < 0) return [];
    const qualifier = { text: own.slice(start + 1, -1).trim(), inBrackets: true };
    return [{ base: own.slice(0, start), qualifier }];
  }
  const words = own.split(/[\s_\-./,]+/).filter((word) => word !== "");
  const [, hump = "", unit = ""] = /^(.*[a-z])(K?M|Km|Ft|Feet|Miles|U[Tt][Cc])$/.exec(own) ?? [];
  if (hump !== "") return [{ base: hump, qualifier: { text: unit, inBrackets: false } }];
  if (words.length < 2) return [];
  const [first = "", last = ""] = [words[0], words.at(-1)];
  const before = words.slice(0, -1);
  const base = (before.at(-1)?.toLowerCase() === "in" ? before.slice(0, -1) : before).join(" ");
  return [
    { base, qualifier: { text: last, inBrackets: false } },
    { base: words.slice(1).join(" "), qualifier: { text: first, inBrackets: false } },
  ];
}

/** Null for a qualifier that says nothing known of the field. */
export function qualifierMeaning(
  field: string,
  { text, inBrackets }: QualifiedName["qualifier"],
): Qualifier | null {
  if (text === "") return inBrackets ? {} : null;
  if (field === "time" || field === "date") return zoneMeaning(text, inBrackets);
  if (!Object.hasOwn(ATTRIBUTES, field)) return null;
  const name = field as AttributeName;
  const { kind }: Attribute = ATTRIBUTES[name];
  if (kind !== "number" && kind !== "integer") return null;
  const places = placesOfUnit(name, text);
  if (places !== null) return { places };
  if (name === "magnitude" && isMagnitudeType(text)) {
    return text.length === 1 ? {} : { magnitudeType: magnitudeTypeOfName(text)?.name ?? text };
  }
  if (!inBrackets) return isUnitNotRead(text) ? { fault: `in ${text}` } : null;
  if (isUnitNotRead(text) || /^°?[sw]$/i.test(text)) return { fault: `in ${text}` };
  return SAYS_NOTHING.test(text) ? {} : null;
}

function zoneMeaning(text: string, inBrackets: boolean): Qualifier | null {
  const zone = text.toLowerCase().replaceAll(" ", "");
  if (UTC.has(zone)) return {};
  if (!inBrackets) return ZONES.has(zone) ? { fault: `in ${text}, not in UTC` } : null;
  return IS_FORMAT.test(text) ? {} : { fault: `in ${text}, not in UTC` };
}
