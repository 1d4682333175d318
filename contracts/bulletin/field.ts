/** What objects a reference leads to: the elements that have a publicID, and stand in one event. */
export type Kind =
  | "origin"
  | "magnitude"
  | "stationMagnitude"
  | "amplitude"
  | "pick"
  | "arrival"
  | "focalMechanism"
  | "momentTensor";

/**
 * One member of a QuakeML type. `id` is the object's own publicID, `reference` names an object of
 * `to` in the same event, `resource` one elsewhere, which is never looked up. An `object` is of the
 * type `type`. A member that is `many` is a list, in the order of the file.
 */
export type Field = {
  readonly kind:
    | "real"
    | "integer"
    | "time"
    | "boolean"
    | "text"
    | "enumeration"
    | "id"
    | "reference"
    | "resource"
    | "object";
  readonly required?: true;
  readonly many?: true;
  readonly unit?: string;
  /** Characters at most. */
  readonly maxLength?: number;
  readonly values?: readonly string[];
  readonly to?: Kind;
  readonly type?: string;
  /** Where it stands in XML, if not in an element of its name. */
  readonly xml?: "attribute" | "text" | "own";
};

export const required = <const F extends Field>(field: F) =>
  ({ ...field, required: true }) as const;
export const many = <const F extends Field>(field: F) => ({ ...field, many: true }) as const;
export const attribute = <const F extends Field>(field: F) =>
  ({ ...field, xml: "attribute" }) as const;
export const real = <const U extends string>(unit?: U) =>
  ({ kind: "real", ...(unit !== undefined && { unit }) }) as const;
export const text = (maxLength?: number) =>
  ({ kind: "text", ...(maxLength !== undefined && { maxLength }) }) as const;
export const one = <const V extends readonly string[]>(values: V) =>
  ({ kind: "enumeration", values }) as const;
export const to = <const K extends Kind>(kind: K) => ({ kind: "reference", to: kind }) as const;
export const object = <const T extends string>(type: T) => ({ kind: "object", type }) as const;
/** A value with its uncertainties, in `unit`. */
export const quantity = <const U extends string>(unit?: U) =>
  ({ kind: "object", type: "RealQuantity", ...(unit !== undefined && { unit }) }) as const;
