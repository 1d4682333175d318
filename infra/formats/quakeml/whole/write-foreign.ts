import {
  type Foreign,
  type ForeignAttribute,
  MAX_FOREIGN_DEPTH,
} from "#contracts/bulletin/bulletin.ts";
import { OWN_ELEMENT, OWN_NAMESPACE, OWN_PREFIX } from "../shared/event-ids.ts";
import { BED_1_2, OWN_FORMS } from "../shared/own-forms.ts";
import { isXmlName } from "./schema-values.ts";
import { isWritable, xmlAttributeText, xmlElementText } from "./xml-escapes.ts";

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
