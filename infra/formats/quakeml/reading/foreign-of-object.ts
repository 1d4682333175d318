import type { Foreign, ForeignAttribute } from "#contracts/bulletin/bulletin.ts";
import type { TypePlan } from "./type-plans.ts";

/** An object while it is read. */
export type OpenObject = { [member: string]: unknown };

/** An object that lacks what QuakeML requires, as an element: for that its members are spelled again. */
export function foreignOfObject(
  type: TypePlan,
  name: string,
  object: OpenObject,
  ns: string,
): Foreign {
  const others = (object["foreign"] ?? []) as readonly Foreign[];
  const attributes = attributesIn(others, undefined);
  const children: Foreign[] = [];
  let text: string | undefined;
  for (const plan of type.attributes.values()) {
    const value = object[plan.name];
    if (value !== undefined && value !== "") {
      attributes.push({ name: plan.name, text: String(value) });
    }
  }
  for (const plan of type.elements.values()) {
    for (const value of valuesOf(object[plan.name])) {
      if (value === "" && plan.kind === "reference") continue;
      if (plan.type !== null) {
        children.push(foreignOfObject(plan.type, plan.element, value as OpenObject, ns));
      } else
        children.push(
          element(ns, plan.element, String(value), attributesIn(others, plan.name), []),
        );
    }
  }
  if (type.text !== null) text = object[type.text.name] as string | undefined;
  children.push(...others.filter((item) => item.attribute !== true));
  return element(ns, name, text, attributes, children);
}

function element(
  ns: string,
  name: string,
  text: string | undefined,
  attributes: readonly ForeignAttribute[],
  children: readonly Foreign[],
): Foreign {
  return {
    ns,
    name,
    ...(text !== undefined && text !== "" && { text }),
    ...(attributes.length > 0 && { attributes }),
    ...(children.length > 0 && { children }),
  };
}

/** @param at the simple member on which they stand, if not on the object */
function attributesIn(others: readonly Foreign[], at: string | undefined): ForeignAttribute[] {
  return others
    .filter((item) => item.attribute === true && item.at === at)
    .map(({ ns, name, text = "" }) => (ns === "" ? { name, text } : { ns, name, text }));
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
