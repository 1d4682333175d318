import { joinEvent, refersBeside } from "./beside/join-event.ts";
import { createObjectStore, type ObjectStore } from "./beside/object-store.ts";
import {
  added,
  type Counts,
  createObjectsBeside,
  type ListName,
  type Named,
  type ObjectsBeside,
  type Taken,
} from "./beside/objects-beside.ts";
import type { OpenObject } from "./reading/foreign-of-object.ts";

export type AssemblerSink = {
  /** `taken`: what stood beside the event and belongs to it; null where nothing can. */
  readonly complete: (event: OpenObject, line: number, taken: Taken | null) => void;
  /** An event that cannot be complete. */
  readonly refuse: (event: OpenObject, line: number, message: string) => void;
  readonly warning: (line: number, message: string) => void;
};

type Kept = { readonly event: OpenObject; readonly counts: Counts };
type Waiting = { readonly place: number; readonly line: number };
type Beside = { readonly store: ObjectStore; readonly objects: ObjectsBeside };

/**
 * Combines events with their objects. In QuakeML these are inside the event, which is then complete at
 * its end tag. In the real-time variant, and in SCML, they stand before or after it and are named by
 * references; such an event is complete at the end of the document. Until then both are kept in a file.
 */
export function createEventAssembler({ complete, refuse, warning }: AssemblerSink) {
  const waiting: Waiting[] = [];
  let beside: Beside | null = null;

  function open(): Beside {
    const store = createObjectStore();
    beside = { store, objects: createObjectsBeside(store) };
    return beside;
  }

  function finish({ place, line }: Waiting, { store, objects }: Beside): void {
    const { event, counts } = store.take(place) as Kept;
    const taken = joinEvent(event, objects);
    if (typeof taken === "string") refuse(event, line, taken);
    else complete(event, line, { ...taken, keep: () => added(taken.keep(), counts) });
  }

  return {
    addEvent(event: OpenObject, line: number, counts: Counts): void {
      if (!refersBeside(event)) complete(event, line, null);
      else waiting.push({ place: (beside ?? open()).store.add({ event, counts }), line });
    },
    /** Adds an object that stands beside the events. */
    addObject(
      list: ListName,
      object: OpenObject,
      counts: Counts,
      owners: readonly Named[] = [],
    ): void {
      (beside ?? open()).objects.add(list, object, counts, owners);
    },
    /** Completes the events that name objects beside them. */
    end(): void {
      if (beside === null) return;
      for (const one of waiting) finish(one, beside);
      for (const [list, count] of beside.objects.unused()) {
        const what = list === "foreign" ? "foreign elements" : `elements ${list}`;
        warning(1, `${what} beside the events that belong to none: ${count}; left out`);
      }
      beside.store.close();
    },
  };
}
