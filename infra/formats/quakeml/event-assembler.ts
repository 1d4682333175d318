import type { Steps } from "../../kernel/steps.ts";
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
/** What events take in a step of the end: as much as from a piece of a file, or one larger event. */
const STEP_BYTES = 256 * 1024;

type Waiting = { readonly place: number; readonly line: number };
type Beside = { readonly store: ObjectStore; readonly objects: ObjectsBeside };

/**
 * Combines events with their objects. In QuakeML these are inside the event, which is then complete at
 * its end tag. In the real-time variant, and in SCML, they stand before or after it and are named by
 * references; such an event is complete at the end of the document. Until then both are kept in a file, and
 * their ids and places in memory.
 */
export function createEventAssembler({ complete, refuse, warning }: AssemblerSink) {
  const waiting: Waiting[] = [];
  let beside: Beside | null = null;

  function open(): Beside {
    const store = createObjectStore();
    beside = { store, objects: createObjectsBeside(store) };
    return beside;
  }

  /** Bytes that the event took in the file, with its objects. */
  function finish({ place, line }: Waiting, { store, objects }: Beside, isOnly: boolean): number {
    const { event, counts } = store.take(place) as Kept;
    const own = store.sizeOf(place);
    const taken = joinEvent(event, objects, isOnly);
    if (typeof taken === "string") {
      refuse(event, line, taken);
      return own;
    }
    complete(event, line, { ...taken, keep: () => added(taken.keep(), counts) });
    return own + taken.bytes;
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
    /**
     * Completes the events that name objects beside them, as many in a step as have STEP_BYTES together.
     * @param isOnly the document is whole and has one event
     */
    *end(isOnly: boolean): Steps<void> {
      if (beside === null) return;
      const { store, objects } = beside;
      try {
        let bytes = 0;
        for (const one of waiting) {
          if (bytes >= STEP_BYTES) {
            yield;
            bytes = 0;
          }
          bytes += finish(one, beside, isOnly);
        }
        for (const [list, count] of objects.unused()) {
          const what = list === "foreign" ? "foreign elements" : `elements ${list}`;
          warning(1, `${what} beside the events that belong to none: ${count}; left out`);
        }
      } finally {
        store.close();
      }
    },
  };
}
