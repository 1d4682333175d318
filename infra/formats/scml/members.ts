import type { Field } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { DIFFERENCES, type Difference } from "./differences.ts";
import type { OwnShape } from "./own-shapes.ts";
import type { Words } from "./words.ts";

/** A member of an SCML type that QuakeML has too. */
export type SharedMember = {
  /** SCML's name. */
  readonly name: string;
  /** QuakeML's name, and what it is there. */
  readonly member: string;
  readonly field: Field;
  readonly isAttribute: boolean;
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly isKilometres: boolean;
  /** A quantity of which SCML has the value alone. */
  readonly isNumber: boolean;
  readonly words: Words;
  /** What is written where there is none, because SCML requires it. */
  readonly standIn: string | undefined;
};

/** An element that SCML has alone. */
export type OwnMember = {
  readonly name: string;
  readonly own: OwnShape;
  readonly isList: boolean;
};

export type ScmlType = {
  readonly attributes: readonly SharedMember[];
  readonly ownAttributes: readonly string[];
  /** In SCML's order, by SCML's names: several QuakeML members may share one place. */
  readonly elements: ReadonlyMap<string, readonly SharedMember[] | OwnMember>;
  /** QuakeML's members that SCML has not, or in another place. */
  readonly without: readonly string[];
};

const SAME: Words = {};

function membersOf(type: TypeName, difference: Difference): readonly SharedMember[] {
  const { without = [], kilometres = [], numbers = [], elements = [], optional = [] } = difference;
  const { names = {}, single = [], required = {}, words = {} } = difference;
  return Object.entries<Field>(QUAKEML_TYPES[type])
    .filter(([member, field]) => !without.includes(member) && field.xml !== "own")
    .map(([member, field]) => ({
      name: names[member] ?? member,
      member,
      field,
      isAttribute: field.xml === "attribute" && !elements.includes(member),
      isList: field.many === true && !single.includes(member),
      isRequired: field.required === true && !optional.includes(member),
      isKilometres: kilometres.includes(member),
      isNumber: numbers.includes(member),
      words: words[member] ?? SAME,
      standIn: required[member],
    }));
}

function typeOf(type: TypeName): ScmlType {
  const difference: Difference = DIFFERENCES[type] ?? {};
  const shared = membersOf(type, difference);
  const inElements = shared.filter(({ isAttribute }) => !isAttribute);
  const { own: ownShapes = {}, ownLists = [] } = difference;
  const own = Object.entries(ownShapes).map(([name, own]) => ({
    name,
    own,
    isList: ownLists.includes(name),
  }));
  const order = difference.order?.split(" ") ?? [
    ...inElements.filter(({ isList }) => !isList).map(({ name }) => name),
    ...inElements.filter(({ isList }) => isList).map(({ name }) => name),
    ...own.map(({ name }) => name),
  ];
  const placed = order.map((name): [string, readonly SharedMember[] | OwnMember] => [
    name,
    own.find((member) => member.name === name) ??
      inElements.filter((member) => member.name === name),
  ]);
  const kept = new Set(shared.map(({ member }) => member));
  return {
    attributes: shared.filter(({ isAttribute }) => isAttribute),
    ownAttributes: difference.ownAttributes ?? [],
    elements: new Map(placed),
    without: Object.keys(QUAKEML_TYPES[type]).filter((member) => !kept.has(member)),
  };
}

/** SCML's types, derived from QuakeML's and the differences. */
export const SCML_TYPES: { readonly [T in TypeName]: ScmlType } = Object.fromEntries(
  Object.keys(QUAKEML_TYPES).map((type) => [type, typeOf(type as TypeName)]),
) as { [T in TypeName]: ScmlType };
