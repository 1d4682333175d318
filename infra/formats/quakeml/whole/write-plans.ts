import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";

/** How a member of a type is written. */
export type WriteMember = {
  readonly name: string;
  readonly kind: Field["kind"];
  readonly many: boolean;
  readonly to: Kind | null;
  /** Of a member that is an object. */
  readonly type: WritePlan | null;
  /** What begins its start tag, or of an attribute what stands before its value. */
  readonly start: string;
  /** Start tag without attributes, and end tag. */
  readonly open: string;
  readonly close: string;
  /** Its element may have attributes of other namespaces (the schema's type Phase). */
  readonly takesAttributes: boolean;
};

export type WritePlan = {
  readonly hasId: boolean;
  readonly attributes: readonly WriteMember[];
  readonly elements: readonly WriteMember[];
  readonly text: WriteMember | null;
  readonly own: WriteMember | null;
};

const PHASES: ReadonlySet<string> = new Set(["phase", "phaseHint"]);

const plans = new Map<TypeName, WritePlan>();

export const EVENT_PLAN = planOf("Event");

/** A type's plan, made once: no type holds itself. */
function planOf(name: TypeName): WritePlan {
  const known = plans.get(name);
  if (known !== undefined) return known;
  const members = Object.entries<Field>(QUAKEML_TYPES[name]).map(
    ([member, { kind, many = false, to = null, type, xml }]) => ({
      xml,
      plan: {
        name: member,
        kind,
        many: many as boolean,
        to,
        type: type === undefined ? null : planOf(type as TypeName),
        start: xml === "attribute" ? ` ${member}="` : `<${member}`,
        open: `<${member}>`,
        close: `</${member}>`,
        takesAttributes: PHASES.has(member),
      },
    }),
  );
  const at = (place: Field["xml"]) =>
    members.flatMap(({ xml, plan }) => (xml === place ? [plan] : []));
  const plan: WritePlan = {
    hasId: "publicID" in QUAKEML_TYPES[name],
    attributes: at("attribute"),
    elements: at(undefined),
    text: at("text")[0] ?? null,
    own: at("own")[0] ?? null,
  };
  plans.set(name, plan);
  return plan;
}
