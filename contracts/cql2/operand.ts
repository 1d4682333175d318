import type { Place } from "./cql2-fault.ts";

/** What predicates are said of. */
export type Operand = { readonly at: Place } & (
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "date" | "timestamp"; readonly text: string }
  | { readonly kind: "interval"; readonly ends: readonly [IntervalEnd, IntervalEnd] }
  /** As GeoJSON has it, not yet checked. */
  | { readonly kind: "geometry"; readonly geometry: unknown }
  | { readonly kind: "bbox"; readonly numbers: readonly number[] }
);

export type OperandOf<Kind extends Operand["kind"]> = Extract<Operand, { kind: Kind }>;

/** A date, a time or `..` as written, or a property. */
export type IntervalEnd = { readonly at: Place } & (
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "property"; readonly name: string }
);
