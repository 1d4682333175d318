import type { Property } from "../query/expression.ts";
import { ATTRIBUTES, type Attribute } from "../seismic-event/attributes.ts";
import { Cql2Fault } from "./cql2-fault.ts";
import type { OperandOf } from "./operand.ts";

export type Queryable =
  | { readonly kind: "geometry" }
  | { readonly kind: "time" | "number" | "text"; readonly property: Property };

const QUERYABLES = new Map<string, Queryable>([
  ["geometry", { kind: "geometry" }],
  ["time", { kind: "time", property: "time" }],
  ...Object.entries(ATTRIBUTES).map(([name, { kind }]: [string, Attribute]) => {
    const isNumber = kind === "number" || kind === "integer";
    const property = name as Property;
    return [name, { kind: isNumber ? "number" : "text", property } as const] as const;
  }),
]);

/** @throws Cql2Fault for another name */
export function queryableOf({ name, at }: OperandOf<"property">): Queryable {
  const queryable = QUERYABLES.get(name);
  if (queryable === undefined) throw new Cql2Fault(`there is no queryable "${name}"`, at);
  return queryable;
}
