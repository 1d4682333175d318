import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import { timeToMicros } from "#contracts/seismic-event/origin-time.ts";
import { parseTime } from "#contracts/seismic-event/parse-time.ts";
import { sameJson } from "./same-json.ts";
import { isSameSolution } from "./same-solution.ts";
import { type Identified, listOf, withList } from "./solutions.ts";

/** With how many solutions of a kind a table's is compared: what tables gave has ids by which it is known. */
const MAX_COMPARED = 1_000;

type List = {
  readonly objects: Identified[];
  readonly places: Map<string, number>;
  /** What was there before anything was added. */
  readonly before: readonly Identified[];
  /** Of picks: those that were there before, by station and time. */
  readonly byKey: ReadonlyMap<string, readonly Identified[]> | null;
  isChanged: boolean;
};

/** The lists of a bulletin to which solutions are added. */
export function createJoinedLists(bulletin: Bulletin) {
  const lists = new Map<Kind, List>();

  function listFor(kind: Kind): List {
    const known = lists.get(kind);
    if (known !== undefined) return known;
    const before = listOf(bulletin, kind);
    const places = new Map<string, number>();
    for (const [place, { publicID }] of before.entries()) {
      if (!places.has(publicID)) places.set(publicID, place);
    }
    const byKey = kind === "pick" ? Map.groupBy(before, pickKey) : null;
    const list = { objects: [...before], places, before, byKey, isChanged: false };
    lists.set(kind, list);
    return list;
  }

  function push(list: List, object: Identified): void {
    list.places.set(object.publicID, list.objects.length);
    list.objects.push(object);
    list.isChanged = true;
  }

  return {
    /** Adds an object of a file with ids of its own, or gives the one of that id its members. */
    put(kind: Kind, object: Identified): void {
      const list = listFor(kind);
      const place = list.places.get(object.publicID);
      const present = place === undefined ? undefined : list.objects[place];
      if (place === undefined || present === undefined) {
        push(list, object);
        return;
      }
      const after = { ...present, ...object };
      if (sameJson(after, present)) return;
      list.objects[place] = after;
      list.isChanged = true;
    },
    /**
     * Adds an object that a table gives, unless it has come before or the event has the like.
     * @returns the public id under which the event has it
     */
    add(kind: Kind, object: Identified): string {
      const list = listFor(kind);
      if (list.places.has(object.publicID)) return object.publicID;
      const compared = list.byKey?.get(pickKey(object)) ?? (list.byKey ? [] : list.before);
      const same = compared
        .slice(0, MAX_COMPARED)
        .find((present) => isSameSolution(kind, object, present));
      if (same !== undefined) return same.publicID;
      push(list, object);
      return object.publicID;
    },
    /** The bulletin with what was added; the same object where nothing was. */
    bulletin: (): Bulletin =>
      [...lists].reduce(
        (result, [kind, { objects, isChanged }]) =>
          isChanged ? withList(result, kind, objects) : result,
        bulletin,
      ),
  };
}

function pickKey({ time: picked, waveformID }: Identified): string {
  const { value } = picked as { readonly value: string };
  const { stationCode } = waveformID as { readonly stationCode: string };
  const time = parseTime(value);
  return `${stationCode} ${time === null ? value : timeToMicros(time)}`;
}
