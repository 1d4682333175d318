/** Foreign elements as XML, and what QuakeML's schema takes for an id, a time or a name. */

import {
  type Foreign,
  type ForeignAttribute,
  MAX_FOREIGN_DEPTH,
} from "#contracts/bulletin/quakeml.ts";
import { OWN_ELEMENT, OWN_NAMESPACE, OWN_PREFIX } from "../../bulletin/members.ts";
import { isWritable, xmlAttributeText, xmlElementText } from "../../xml/xml.ts";
import { BED_1_2, OWN_FORMS } from "../own-forms.ts";

/** Prefixes of the namespaces in one event, which its start tag declares. */
export type Prefixes = ReturnType<typeof createPrefixes>;

export function createPrefixes() {
  const prefixes = new Map<string, string>([[OWN_NAMESPACE, OWN_PREFIX]]);
  return {
    of(ns: string): string {
      let prefix = prefixes.get(ns);
      if (prefix === undefined) {
        prefix = `n${prefixes.size}`;
        prefixes.set(ns, prefix);
      }
      return prefix;
    },
    /** Declarations of all but our own, which the document declares. */
    declarations(): string {
      let text = "";
      for (const [ns, prefix] of prefixes) {
        if (ns !== OWN_NAMESPACE) text += ` xmlns:${prefix}="${xmlAttributeText(ns)}"`;
      }
      return text;
    },
  };
}

const OWN_NAMES: ReadonlySet<string> = new Set([...Object.values(OWN_FORMS)]);

/** Whether XML can say a foreign element where it stands, so that it is read again as it is. */
export function isPlaceable(item: Foreign, isGiven: boolean, depth = 1): boolean {
  const { ns, name, text = "", attributes = [], children = [] } = item;
  if (depth === 1 && !isGiven && (ns === BED_1_2 || ns === "")) return false;
  if (depth === 1 && ns === OWN_NAMESPACE && OWN_NAMES.has(name)) return false;
  if (ns !== OWN_NAMESPACE && name === OWN_ELEMENT) return false;
  return (
    depth <= MAX_FOREIGN_DEPTH &&
    isXmlName(name) &&
    isWritable(ns) &&
    isWritable(text) &&
    hasDistinctNames(attributes) &&
    attributes.every(isPlaceableAttribute) &&
    children.every((child) => isPlaceable(child, isGiven, depth + 1))
  );
}

export function isPlaceableAttribute({ ns = "", name, text }: ForeignAttribute): boolean {
  return isXmlName(name) && isWritable(ns) && isWritable(text);
}

function hasDistinctNames(attributes: readonly ForeignAttribute[]): boolean {
  const names = attributes.map(({ ns = "", name }) => `${ns} ${name}`);
  return new Set(names).size === names.length;
}

export function foreignXml(item: Foreign, prefixes: Prefixes, around = BED_1_2): string {
  const { ns, name, text = "", attributes = [], children = [] } = item;
  const isBare = ns === "" || ns === BED_1_2;
  const tag = isBare ? name : `${prefixes.of(ns)}:${name}`;
  const declaration = isBare && ns !== around ? ` xmlns="${ns}"` : "";
  const inside = isBare ? ns : around;
  const body =
    xmlElementText(text) + children.map((child) => foreignXml(child, prefixes, inside)).join("");
  const start = `<${tag}${declaration}${attributes.map((a) => attributeXml(a, prefixes)).join("")}`;
  return body === "" ? `${start}/>` : `${start}>${body}</${tag}>`;
}

export function attributeXml(
  { ns = "", name, text }: ForeignAttribute,
  prefixes: Prefixes,
): string {
  return ` ${ns === "" ? name : `${prefixes.of(ns)}:${name}`}="${xmlAttributeText(text)}"`;
}

/** ResourceIdentifier of QuakeML 1.2 BED in ASCII; as a URI it has at most one `#`. */
const RESOURCE_ID =
  /^(?:smi|quakeml):[A-Za-z0-9_][\w.*()~'-]{2,}\/(?:[\w.*()~'-][\w.*()+?~'=,;/&-]*)(?:#[\w.*()+?~'=,;/&-]*)?$/;

/** xs:dateTime; the day of the month is looked at apart. */
const DATE_TIME =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;

/** Days that all months have. */
const SURE_DAYS = 28;

export function isSchemaId(text: string): boolean {
  return RESOURCE_ID.test(text);
}

export function isSchemaTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  const day = Number(text.slice(8, 10));
  if (day <= SURE_DAYS) return true;
  const year = 2000 + (Number(text.slice(0, 4)) % 400);
  return day <= new Date(Date.UTC(year, Number(text.slice(5, 7)), 0)).getUTCDate();
}

/** A name without a prefix that any reader takes. */
function isXmlName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name) && !/^xml/i.test(name);
}
