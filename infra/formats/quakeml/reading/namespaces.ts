import { OWN_ELEMENT, OWN_NAMESPACE } from "../shared/event-ids.ts";
import { isDeclaration } from "./object-builder.ts";

type Attributes = Readonly<Record<string, string>>;
type Declarations = { readonly depth: number; readonly names: ReadonlyMap<string, string> };

export type ElementName = {
  readonly local: string;
  readonly ns: string;
  /** It is QuakeML's, whatever its namespace is. */
  readonly isQuakeml: boolean;
};

export type Namespaces = ReturnType<typeof createNamespaces>;

/**
 * The namespaces in scope. Documents with a wrong namespace or none are common, so QuakeML's names are
 * matched in any: an element is foreign only if its prefix is bound to a namespace other than QuakeML's
 * and differs from the prefix of eventParameters, or if its default namespace is another than that of
 * eventParameters. This costs a tenth of saxes' own resolution of namespaces.
 */
export function createNamespaces() {
  const scopes: Declarations[] = [];
  let byDefault: string | undefined;
  let headPrefix = "";
  let headDefault: string | undefined;

  function find(prefix: string): string | undefined {
    for (let i = scopes.length - 1; i >= 0; i--) {
      const found = scopes[i]?.names.get(prefix);
      if (found !== undefined) return found;
    }
    return prefix === "xml" ? "http://www.w3.org/XML/1998/namespace" : undefined;
  }

  return {
    /** Begins an element: its declarations hold until it is closed. */
    open(attributes: Attributes, depth: number): void {
      let names: Map<string, string> | null = null;
      for (const name in attributes) {
        if (!isDeclaration(name)) continue;
        names ??= new Map();
        names.set(name.slice(6), attributes[name] ?? "");
      }
      if (names === null) return;
      scopes.push({ depth, names });
      byDefault = find("");
    },
    /** Ends an element at this depth, and what was left open in it. */
    close(depth: number): void {
      let last = scopes.at(-1);
      if (last === undefined || last.depth < depth) return;
      for (; last !== undefined && last.depth >= depth; last = scopes.at(-1)) scopes.pop();
      byDefault = find("");
    },
    /** The namespace of elements without a prefix. */
    byDefault: (): string => byDefault ?? "",
    /** True where elements without a prefix are QuakeML's. */
    isQuakemlByDefault: (): boolean => byDefault === headDefault || isQuakeml(byDefault),
    resolve: find,
    /** @param isHead of the root and eventParameters, which are recognised in any namespace */
    nameOf(name: string, isHead: boolean): ElementName {
      const colon = name.indexOf(":");
      const prefix = colon < 0 ? "" : name.slice(0, colon);
      const local = colon < 0 ? name : name.slice(colon + 1);
      const uri = colon < 0 ? byDefault : find(prefix);
      // A prefix that is not declared stands for itself.
      const ns = uri ?? prefix;
      if (isHead) {
        headPrefix = prefix;
        headDefault = byDefault;
        return { local, ns, isQuakeml: true };
      }
      if (ns === OWN_NAMESPACE || local === OWN_ELEMENT) return { local, ns, isQuakeml: false };
      if (isQuakeml(uri)) return { local, ns, isQuakeml: true };
      return { local, ns, isQuakeml: colon < 0 ? uri === headDefault : prefix === headPrefix };
    },
  };
}

function isQuakeml(uri: string | undefined): boolean {
  return uri?.includes("quakeml.org/") === true;
}
