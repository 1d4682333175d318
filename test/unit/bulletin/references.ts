import { type Field, QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml.ts";

type Json = Readonly<Record<string, unknown>>;

/** An object of a bulletin with what it is, as a walk through a bulletin meets it. */
export type Met = { readonly type: TypeName; readonly object: Json };

/** Every object of a bulletin, by the table of types. */
export function* objectsIn(object: Json, type: TypeName = "Event"): Generator<Met> {
  yield { type, object };
  for (const [name, field] of Object.entries<Field>(QUAKEML_TYPES[type])) {
    if (field.type === undefined) continue;
    for (const inner of [object[name] ?? []].flat()) {
      yield* objectsIn(inner as Json, field.type as TypeName);
    }
  }
}

/** Every reference of a bulletin: the member, the kind that it leads to, the id. */
export function referencesIn(bulletin: object): { name: string; to: string; id: string }[] {
  return [...objectsIn(bulletin as Json)].flatMap(({ type, object }) =>
    Object.entries<Field>(QUAKEML_TYPES[type]).flatMap(([name, { to }]) =>
      to === undefined || object[name] === undefined ? [] : [{ name, to, id: `${object[name]}` }],
    ),
  );
}

/** The references that lead to no object of their kind. */
export function danglingIn(bulletin: object) {
  const there = new Set(
    [...objectsIn(bulletin as Json)].map(({ type, object }) => `${type} ${object["publicID"]}`),
  );
  return referencesIn(bulletin).filter(
    ({ to, id }) => !there.has(`${to[0]?.toUpperCase()}${to.slice(1)} ${id}`),
  );
}

/** How many objects of each type a bulletin has. */
export function countsIn(bulletin: object): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of objectsIn(bulletin as Json)) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
