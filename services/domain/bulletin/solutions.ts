import type { Bulletin, Foreign } from "#contracts/bulletin/bulletin.ts";
import type { Field, Kind } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";

/** An object of a bulletin that has a public id, as far as all kinds have it. */
export type Identified = {
  readonly publicID: string;
  readonly foreign?: readonly Foreign[];
} & Readonly<Record<string, unknown>>;

export type Solution = {
  readonly kind: Kind;
  readonly type: TypeName;
  readonly object: Identified;
};

/** Members of a type that are lists of objects with public ids: their names are the kinds. */
function listsOf(type: TypeName): readonly (readonly [kind: Kind, type: TypeName])[] {
  return Object.entries<Field>(QUAKEML_TYPES[type])
    .filter(([, { type: of, many }]) => many && of !== undefined && isIdentified(of as TypeName))
    .map(([name, { type: of }]) => [name as Kind, of as TypeName]);
}

function isIdentified(type: TypeName): boolean {
  return Object.hasOwn(QUAKEML_TYPES[type], "publicID");
}

/** The kinds that stand directly in an event, with their types. */
export const TOP_LISTS = listsOf("Event");

const NESTED_LISTS: ReadonlyMap<TypeName, ReturnType<typeof listsOf>> = new Map(
  TOP_LISTS.map(([, type]) => [type, listsOf(type)]),
);

/** The objects of one kind that stand directly in an event. */
export function listOf(bulletin: Bulletin, kind: Kind): readonly Identified[] {
  return ((bulletin as Readonly<Record<string, unknown>>)[kind] ?? []) as readonly Identified[];
}

/** The bulletin with other objects of a kind; without any it has no such member. */
export function withList(bulletin: Bulletin, kind: Kind, objects: readonly Identified[]): Bulletin {
  const { [kind]: _, ...rest } = bulletin as Readonly<Record<string, unknown>>;
  return (objects.length === 0 ? rest : { ...rest, [kind]: objects }) as Bulletin;
}

/** The kinds of objects with ids inside one of a type: arrivals of an origin, tensors of a mechanism. */
export function nestedLists(type: TypeName): ReturnType<typeof listsOf> {
  return NESTED_LISTS.get(type) ?? [];
}

/** Every object with a public id, those inside others after them. */
export function* solutionsIn(bulletin: Bulletin): Generator<Solution> {
  for (const [kind, type] of TOP_LISTS) {
    for (const object of listOf(bulletin, kind)) {
      yield { kind, type, object };
      for (const [nested, nestedType] of nestedLists(type)) {
        for (const inner of (object[nested] ?? []) as Identified[]) {
          yield { kind: nested, type: nestedType, object: inner };
        }
      }
    }
  }
}

/** What a reference means: the first object of a kind with the id. */
export type BulletinIndex = {
  readonly get: (kind: Kind, publicID: string) => Identified | undefined;
};

export function indexOf(bulletin: Bulletin): BulletinIndex {
  const byKind = new Map<Kind, Map<string, Identified>>();
  for (const { kind, object } of solutionsIn(bulletin)) {
    const byId = byKind.get(kind) ?? new Map<string, Identified>();
    byKind.set(kind, byId);
    if (!byId.has(object.publicID)) byId.set(object.publicID, object);
  }
  return { get: (kind, publicID) => byKind.get(kind)?.get(publicID) };
}
