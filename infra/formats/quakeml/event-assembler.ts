import type { Kind } from "#contracts/bulletin/quakeml-types.ts";
import { joinEvent, refersBeside } from "./beside/join-event.ts";
import { createObjectStore, type ObjectStore } from "./beside/object-store.ts";
import { createObjectsBeside, type ObjectsBeside } from "./beside/objects-beside.ts";
import type { OpenObject } from "./reading/foreign-of-object.ts";

export type AssemblerSink = {
  /** `isJoined`: the event has objects that stood beside it. */
  readonly complete: (event: OpenObject, line: number, isJoined: boolean) => void;
  readonly error: (line: number, message: string) => void;
  readonly warning: (line: number, message: string) => void;
};

type Waiting = { readonly place: number; readonly line: number };
type Beside = { readonly store: ObjectStore; readonly objects: ObjectsBeside };

/**
 * Combines events with their objects. In QuakeML these are inside the event, which is then complete at
 * its end tag. In the real-time variant they stand before or after it and are named by references; such
 * an event is complete at the end of the document. Until then both are kept in a file.
 */
export function createEventAssembler({ complete, error, warning }: AssemblerSink) {
  const waiting: Waiting[] = [];
  let beside: Beside | null = null;
  const refused = { count: 0, line: 0 };

  function open(): Beside {
    const store = createObjectStore();
    return { store, objects: createObjectsBeside(store) };
  }

  return {
    addEvent(event: OpenObject, line: number): void {
      if (!refersBeside(event)) {
        complete(event, line, false);
        return;
      }
      beside ??= open();
      waiting.push({ place: beside.store.add(event), line });
    },
    /** Adds an object that stands beside the events. */
    addObject(kind: Kind, object: OpenObject, line: number): void {
      beside ??= open();
      if (!beside.objects.add(kind, object) && refused.count++ === 0) refused.line = line;
    },
    /** Completes the events that name objects beside them. */
    end(): void {
      if (beside === null) return;
      const { store, objects } = beside;
      for (const { place, line } of waiting) {
        const event = store.take(place) as OpenObject;
        joinEvent(event, objects);
        complete(event, line, true);
      }
      for (const [kind, count] of objects.unused()) {
        warning(1, `elements ${kind} beside the events that belong to none: ${count}; left out`);
      }
      if (refused.count > 0) {
        error(refused.line, `${refused.count} elements beside the events were left out`);
      }
      store.close();
    },
  };
}
