import {
  type Foreign,
  type ForeignAttribute,
  MAX_FOREIGN_DEPTH,
} from "#contracts/bulletin/quakeml.ts";
import { isQuakemlNamespace, OWN_ELEMENT, OWN_NAMESPACE } from "../bulletin/members.ts";
import { foreignAttribute, isDeclaration, type ObjectBuilder } from "./object-builder.ts";
import {
  type Completed,
  type DocumentPlan,
  elementOf,
  type MemberPlan,
  type OpenObject,
  type TypePlan,
} from "./type-plans.ts";

type Attributes = Readonly<Record<string, string>>;

type ObjectFrame = {
  readonly kind: "object";
  readonly plan: MemberPlan;
  readonly type: TypePlan;
  readonly object: OpenObject;
  readonly ns: string;
  text: string;
};
type LeafFrame = {
  readonly kind: "leaf";
  readonly plan: MemberPlan;
  readonly ns: string;
  readonly attributes: readonly ForeignAttribute[];
  readonly children: Foreign[];
  text: string;
};
type ForeignFrame = {
  readonly kind: "foreign";
  readonly ns: string;
  readonly name: string;
  readonly attributes: readonly ForeignAttribute[];
  readonly children: Foreign[];
  /** A member of its parent that is not valid there. */
  readonly isInvalid: boolean;
  readonly depth: number;
  text: string;
};
/** The root and eventParameters. */
type HeadFrame = { readonly kind: "root" | "parameters" };
type KeptFrame = ObjectFrame | LeafFrame | ForeignFrame;
type Frame = HeadFrame | KeptFrame;

export type OpenElementsSink = {
  /** A complete child of eventParameters. */
  readonly element: (element: Completed, line: number) => void;
  /** A part of foreign elements that is nested too deep and left out. */
  readonly tooDeep: (line: number) => void;
};

export type OpenElements = ReturnType<typeof createOpenElements>;

const NO_ATTRIBUTES: readonly ForeignAttribute[] = [];

/** The open elements of a document, as far as they are kept: at most one child of eventParameters. */
export function createOpenElements(
  document: DocumentPlan,
  builder: ObjectBuilder,
  namespaces: Namespaces,
  sink: OpenElementsSink,
) {
  const open: Frame[] = [];
  let top: Frame | null = null;
  let childLine: number | null = null;

  function push(frame: Frame): true {
    if (top !== null) open.push(top);
    top = frame;
    return true;
  }

  function listOf(attributes: Attributes): readonly ForeignAttribute[] {
    if (!builder.isWhole) return NO_ATTRIBUTES;
    let list: ForeignAttribute[] | null = null;
    for (const name in attributes) {
      if (isDeclaration(name)) continue;
      list ??= [];
      list.push(foreignAttribute(name, attributes[name] ?? "", namespaces.resolve));
    }
    return list ?? NO_ATTRIBUTES;
  }

  function enterForeign(
    { ns, local }: ElementName,
    attributes: Attributes,
    isInvalid: boolean,
    depth = 1,
  ): true {
    builder.openForeign(ns, local);
    return push({
      kind: "foreign",
      ns,
      name: local,
      attributes: listOf(attributes),
      children: [],
      isInvalid,
      depth,
      text: "",
    });
  }

  function enterObject(plan: MemberPlan, ns: string, attributes: Attributes): true {
    const type = plan.type as TypePlan;
    const object: OpenObject = {};
    builder.open(plan);
    for (const name in attributes) {
      if (isDeclaration(name)) continue;
      builder.putAttribute(type, object, name, attributes[name] ?? "", namespaces.resolve);
    }
    return push({ kind: "object", plan, type, object, ns, text: "" });
  }

  function enterMember(parent: ObjectFrame, name: ElementName, attributes: Attributes): boolean {
    const plan = name.isQuakeml ? parent.type.elements.get(name.local) : undefined;
    if (plan === undefined || builder.isTaken(plan, parent.object)) {
      if (plan !== undefined && !builder.isWhole) return false;
      if (!builder.isKept(parent.type, name.ns, name.local)) return false;
      return enterForeign(name, attributes, name.isQuakeml && !parent.type.beyond.has(name.local));
    }
    if (plan.type !== null) return enterObject(plan, name.ns, attributes);
    const list = listOf(attributes);
    return push({ kind: "leaf", plan, ns: name.ns, attributes: list, children: [], text: "" });
  }

  function enterHead({ local }: ElementName): boolean {
    if (top === null && local === document.root) return push({ kind: "root" });
    return local === document.parameters && push({ kind: "parameters" });
  }

  function closeObject(frame: ObjectFrame): void {
    const { plan, type, object, ns } = frame;
    if (type.text !== null) builder.putLeaf(type, object, type.text, frame.text, ns, NO_ATTRIBUTES);
    if (top?.kind === "object") builder.put(top.type, top.object, plan, object, ns);
    else if (childLine !== null) {
      const line = childLine;
      childLine = null;
      sink.element({ plan, object, ns, isValid: builder.complete(type, object) }, line);
    }
  }

  function closeLeaf({ plan, ns, attributes, children, text }: LeafFrame): void {
    if (top?.kind !== "object") return;
    const { type, object } = top;
    if (children.length === 0) builder.putLeaf(type, object, plan, text, ns, attributes);
    else builder.putInvalid(type, object, elementOf(ns, plan.element, text, attributes, children));
  }

  function closeForeign({ ns, name, text, attributes, children, isInvalid }: ForeignFrame): void {
    const item = elementOf(ns, name, text, attributes, children);
    if (top?.kind === "foreign" || top?.kind === "leaf") top.children.push(item);
    else if (top?.kind === "object") {
      if (isInvalid) builder.putInvalid(top.type, top.object, item);
      else builder.putForeign(top.type, top.object, item);
    }
  }

  return {
    /** True where the root or eventParameters may begin. */
    isHead: () => top === null || top.kind === "root",
    /** True where a child of eventParameters may begin. */
    isStreaming: () => top?.kind === "parameters",
    /** True where a child of an object or of eventParameters may begin. */
    mayBegin: () =>
      top?.kind === "parameters" || (top?.kind === "object" && top.type.text === null),
    /** The innermost element, if it is an object. */
    openObject: (): ObjectFrame | null => (top?.kind === "object" ? top : null),
    /** The line of the open child of eventParameters; null without one. */
    childLine: () => childLine,
    /** Begins an element; false for one that is not kept. */
    enter(name: ElementName, attributes: Attributes, line: number): boolean {
      if (top === null || top.kind === "root") return enterHead(name);
      switch (top.kind) {
        case "parameters": {
          const plan = name.isQuakeml ? document.elements.get(name.local) : undefined;
          if (plan === undefined) return false;
          childLine = line;
          builder.begin();
          return enterObject(plan, name.ns, attributes);
        }
        case "object":
          return enterMember(top, name, attributes);
        case "leaf":
          return builder.isWhole && enterForeign(name, attributes, false);
        case "foreign":
          if (top.depth < MAX_FOREIGN_DEPTH) {
            return enterForeign(name, attributes, false, top.depth + 1);
          }
          sink.tooDeep(line);
          return false;
      }
    },
    text(piece: string): void {
      if (top === null || !holdsText(top)) return;
      top.text = top.text === "" ? piece : top.text + piece;
    },
    /** Ends the innermost element. */
    leave(): void {
      const frame = top;
      top = open.pop() ?? null;
      switch (frame?.kind) {
        case "object":
          closeObject(frame);
          break;
        case "leaf":
          closeLeaf(frame);
          break;
        case "foreign":
          closeForeign(frame);
          break;
      }
    },
    /** Drops the open child of eventParameters; returns how many of its levels are open, and its name. */
    giveUp(): { readonly levels: number; readonly name: string; readonly line: number } | null {
      const at = open.findIndex(({ kind }) => kind === "parameters");
      const parameters = open[at];
      const child = open[at + 1] ?? top;
      if (parameters === undefined || childLine === null || child?.kind !== "object") return null;
      const levels = open.length - at;
      const line = childLine;
      open.length = at;
      top = parameters;
      childLine = null;
      return { levels, name: child.plan.name, line };
    },
  };
}

function holdsText(frame: Frame): frame is KeptFrame {
  if (frame.kind === "object") return frame.type.text !== null;
  return frame.kind === "leaf" || frame.kind === "foreign";
}

type ElementName = {
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
  const scopes: { readonly depth: number; readonly names: ReadonlyMap<string, string> }[] = [];
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
    isQuakemlByDefault: (): boolean =>
      byDefault === headDefault || isQuakemlNamespace(byDefault ?? ""),
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
      if (uri !== undefined && isQuakemlNamespace(uri)) return { local, ns, isQuakeml: true };
      return { local, ns, isQuakeml: colon < 0 ? uri === headDefault : prefix === headPrefix };
    },
  };
}
