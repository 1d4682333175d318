import { OWN_ELEMENT, OWN_NAMESPACE } from "./event-ids.ts";

/** Depth of the root and of eventParameters, which are recognised by name in any namespace. */
const HEAD_DEPTH = 2;
/** Prefixes are declared no deeper than the event, or at the element that uses them. */
const DECLARING_DEPTH = 3;

type Tag = { readonly name: string; readonly attributes: Readonly<Record<string, string>> };

/**
 * Local names of a document's elements; null for foreign ones.
 *
 * Documents with a wrong namespace or none are common, so names are matched in any namespace. An
 * element is foreign only if its prefix is bound to a namespace other than QuakeML's and differs
 * from the prefix of eventParameters, or if it declares another default namespace than
 * eventParameters has. This costs a tenth of saxes' own resolution of namespaces.
 */
export function createXmlNames(): (
  tag: Tag,
  depth: number,
  hasAttributes: boolean,
) => string | null {
  const bindings = new Map<string, string>();
  let headPrefix = "";
  let headDefault: string | undefined;

  function declare(attributes: Tag["attributes"]): void {
    for (const name in attributes) {
      if (name.startsWith("xmlns:")) bindings.set(name.slice(6), attributes[name] ?? "");
    }
  }

  return ({ name, attributes }, depth, hasAttributes) => {
    if (depth <= DECLARING_DEPTH) declare(attributes);
    const colon = name.indexOf(":");
    const isBare = colon < 0 && !(hasAttributes && attributes["xmlns"] !== undefined);
    if (isBare && depth > DECLARING_DEPTH) return name === OWN_ELEMENT ? null : name;
    const prefix = colon < 0 ? "" : name.slice(0, colon);
    const local = colon < 0 ? name : name.slice(colon + 1);
    if (depth <= HEAD_DEPTH) {
      headPrefix = prefix;
      headDefault = attributes["xmlns"] ?? headDefault;
      return local;
    }
    const uri =
      colon < 0 ? attributes["xmlns"] : (attributes[`xmlns:${prefix}`] ?? bindings.get(prefix));
    if (uri === OWN_NAMESPACE) return local === OWN_ELEMENT ? local : null;
    if (local === OWN_ELEMENT) return null;
    if (uri?.includes("quakeml.org/")) return local;
    if (colon < 0) return uri === undefined || uri === headDefault ? local : null;
    return prefix === headPrefix ? local : null;
  };
}

/** Why a document with this root element is refused. */
export function rootFault(name: string): string {
  return name === "seiscomp"
    ? "this is SeisComP's own XML (SC3ML), not QuakeML: export it as QuakeML"
    : `this is not QuakeML: the root element is ${JSON.stringify(name.slice(0, 100))}`;
}
