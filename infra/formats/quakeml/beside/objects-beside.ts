import type { Kind } from "#contracts/bulletin/quakeml-types.ts";
import type { OpenObject } from "../reading/foreign-of-object.ts";
import type { ObjectStore } from "./object-store.ts";

/** Most objects that may stand beside the events of one document. */
const MAX_OBJECTS = 2_000_000;

export type ObjectsBeside = ReturnType<typeof createObjectsBeside>;

/** The objects that stand beside the events of a real-time document, by kind and id. */
export function createObjectsBeside(store: ObjectStore) {
  const byId = new Map<Kind, Map<string, number>>();
  /** Magnitudes and station magnitudes by the origin that they are of. */
  const byOrigin = new Map<Kind, Map<string, number[]>>();
  const used = new Set<number>();
  const counts = new Map<Kind, number>();
  let size = 0;

  function idsOf<V>(index: Map<Kind, Map<string, V>>, kind: Kind): Map<string, V> {
    let ids = index.get(kind);
    if (ids === undefined) {
      ids = new Map();
      index.set(kind, ids);
    }
    return ids;
  }

  function take(kind: Kind, place: number): OpenObject {
    if (!used.has(place)) counts.set(kind, (counts.get(kind) ?? 0) - 1);
    used.add(place);
    return store.take(place) as OpenObject;
  }

  return {
    size: () => size,
    /** False when there are too many. Of several with one id, the first is found. */
    add(kind: Kind, object: OpenObject): boolean {
      if (size >= MAX_OBJECTS) return false;
      size++;
      const place = store.add(object);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const ids = idsOf(byId, kind);
      const id = ownText(object["publicID"]);
      if (!ids.has(id)) ids.set(id, place);
      const { originID } = object;
      if (typeof originID !== "string" || !kind.endsWith("agnitude")) return true;
      const origins = idsOf(byOrigin, kind);
      const places = origins.get(originID);
      if (places === undefined) origins.set(ownText(originID), [place]);
      else places.push(place);
      return true;
    },
    find(kind: Kind, id: string): OpenObject | undefined {
      const place = byId.get(kind)?.get(id);
      return place === undefined ? undefined : take(kind, place);
    },
    /** The magnitudes or station magnitudes of an origin. */
    ofOrigin(kind: Kind, originId: string): readonly OpenObject[] {
      return (byOrigin.get(kind)?.get(originId) ?? []).map((place) => take(kind, place));
    },
    /** How many of each kind no event has taken. */
    unused: (): readonly (readonly [Kind, number])[] =>
      [...counts].filter(([, count]) => count > 0),
  };
}

/** A copy, because a slice would keep the whole text of the file in memory. */
function ownText(id: unknown): string {
  return Buffer.from(String(id)).toString();
}
