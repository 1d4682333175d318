import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import { TENSOR_CATEGORIES } from "#contracts/bulletin/enumerations.ts";
import type { Field } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { saidOf, weightsOf } from "./arrival-weights.ts";
import { DIFFERENCES, type Difference } from "./differences.ts";
import { metresOf, OF_THE_UNIT } from "./kilometres.ts";
import { INVERSION_TYPE } from "./words.ts";
import { isOwn } from "./write-own.ts";

/** An object that was read under QuakeML's names from SCML. */
export type ReadObject = { [member: string]: unknown };

type Change = (object: ReadObject) => void;

const NOTHING: Change = () => {};

/**
 * Gives objects of a type, in place, what QuakeML has otherwise: metres, quantities for numbers, three
 * weights for one and its flags, types of inversion.
 */
export const TO_QUAKEML: { readonly [T in TypeName]: Change } = Object.fromEntries(
  Object.keys(QUAKEML_TYPES).map((type) => [type, changeOf(type as TypeName) ?? NOTHING]),
) as { [T in TypeName]: Change };

/** Null where nothing is to be done. */
function changeOf(type: TypeName): Change | null {
  const { kilometres = [], numbers = [], required = {} }: Difference = DIFFERENCES[type] ?? {};
  const unsaid = Object.keys(required).filter((member) => required[member] === "");
  const changes: Change[] = [
    ...kilometres.map(
      (member): Change =>
        (object) =>
          toMetres(object, member),
    ),
    ...numbers.map(
      (member): Change =>
        (object) =>
          toQuantity(object, member),
    ),
    ...unsaid.map(
      (member): Change =>
        (object) =>
          withoutEmpty(object, member),
    ),
    ...Object.entries<Field>(QUAKEML_TYPES[type]).flatMap(([member, field]) => {
      const change = field.kind === "object" ? changeOf(field.type as TypeName) : null;
      return change === null ? [] : [within(member, change)];
    }),
  ];
  if (type === "Arrival") changes.push(giveWeights);
  if (type === "MomentTensor") changes.push(giveMethod);
  if (changes.length === 0) return null;
  return (object) => {
    for (const change of changes) change(object);
  };
}

function within(member: string, change: Change): Change {
  return (object) => {
    const value = object[member];
    if (Array.isArray(value)) for (const item of value) change(item);
    else if (value !== undefined) change(value as ReadObject);
  };
}

function toMetres(object: ReadObject, member: string): void {
  const value = object[member];
  if (typeof value === "number") object[member] = metresOf(value);
  else if (value !== undefined) {
    const quantity = value as ReadObject;
    for (const part of OF_THE_UNIT) toMetres(quantity, part);
  }
}

function toQuantity(object: ReadObject, member: string): void {
  if (object[member] !== undefined) object[member] = { value: object[member] };
}

/** Nothing stands where SCML requires something. */
function withoutEmpty(object: ReadObject, member: string): void {
  if (object[member] === "") delete object[member];
}

/** SCML's own weight and flags stay in `foreign`: what is not used could not come back otherwise. */
function giveWeights(arrival: ReadObject): void {
  for (const [name, text] of weightsOf(saidOf(foreignOf(arrival)))) {
    const weight = Number(text);
    if (Number.isFinite(weight)) arrival[name] = weight;
  }
}

const INVERSION_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(INVERSION_TYPE.words ?? {}).map(([value, word]) => [word, value]),
);
const CATEGORIES: ReadonlySet<string> = new Set(TENSOR_CATEGORIES);

/** A tensor's method is its category or its type of inversion. */
function giveMethod(tensor: ReadObject): void {
  const foreign = foreignOf(tensor);
  const method = foreign.find((one) => isOwn(one) && one.name === "method");
  const text = method?.text?.trim() ?? "";
  const inversionType = INVERSION_TYPES.get(text);
  if (inversionType !== undefined) tensor["inversionType"] = inversionType;
  else if (CATEGORIES.has(text)) tensor["category"] = text;
  else return;
  const others = foreign.filter((one) => one !== method);
  if (others.length > 0) tensor["foreign"] = others;
  else delete tensor["foreign"];
}

function foreignOf(object: ReadObject): readonly Foreign[] {
  return (object["foreign"] ?? []) as readonly Foreign[];
}
