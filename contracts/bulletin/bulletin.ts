import type { Field } from "./field.ts";
import type { QUAKEML_TYPES, TypeName } from "./quakeml-types.ts";

/**
 * What QuakeML has no place for: an element of another namespace or, with `attribute`, an attribute.
 * `at` names the simple member of the object on which an attribute stands. The namespace is kept,
 * its prefix is not.
 */
export type Foreign = {
  readonly ns: string;
  readonly name: string;
  readonly attribute?: true;
  readonly at?: string;
  readonly text?: string;
  readonly attributes?: readonly ForeignAttribute[];
  readonly children?: readonly Foreign[];
};

export type ForeignAttribute = {
  readonly ns?: string;
  readonly name: string;
  readonly text: string;
};

/** Elements within foreign elements, at most. */
export const MAX_FOREIGN_DEPTH = 16;

type Single<F extends Field> = F extends { type: infer T extends TypeName }
  ? QuakemlObject<T>
  : F extends { values: readonly (infer V)[] }
    ? V
    : F["kind"] extends "real" | "integer"
      ? number
      : F["kind"] extends "boolean"
        ? boolean
        : string;

type Value<F> = F extends Field
  ? F extends { many: true }
    ? readonly Single<F>[]
    : Single<F>
  : never;

type Fields<T extends TypeName> = (typeof QUAKEML_TYPES)[T];

type RequiredNames<T extends TypeName> = {
  [N in keyof Fields<T>]: Fields<T>[N] extends { required: true } ? N : never;
}[keyof Fields<T>];

/**
 * An object of a QuakeML type in JSON: the type's members by their QuakeML names, without nulls and
 * without empty lists. Times are text as given, references and ids text, reals JSON numbers.
 */
export type QuakemlObject<T extends TypeName> = {
  readonly [N in RequiredNames<T>]: Value<Fields<T>[N]>;
} & {
  readonly [N in Exclude<keyof Fields<T>, RequiredNames<T>>]?: Value<Fields<T>[N]>;
} & { readonly foreign?: readonly Foreign[] };

/** All that was said of one event: QuakeML's Event in JSON. */
export type Bulletin = QuakemlObject<"Event">;
