import type { RowErrorDetails, RowSink } from "../format-reader.ts";
import { OWN_ELEMENT } from "./event-ids.ts";
import { childrenOf, type Members, textOf } from "./row/members.ts";
import { magnitudesOf, preferredOrigin } from "./row/preferred.ts";
import type { EventParts } from "./row/read-event.ts";

/** Most origins, magnitudes, mechanisms and events held until the end of a real-time document. */
const MAX_WAITING = 20_000;

const NONE: readonly Members[] = [];

type Waiting = { readonly event: Members; readonly line: number };

export type AssemblerSink = Pick<RowSink, "error"> & {
  readonly complete: (parts: EventParts, line: number) => void;
};

/**
 * Combines events with their origins. In QuakeML origins are inside the event, which is then
 * complete at its end tag. In the real-time variant they stand before or after it and are named by
 * the event's references or preferred ids; such an event is complete at the end of the document.
 */
export function createEventAssembler({ complete, error }: AssemblerSink) {
  const waiting: Waiting[] = [];
  const beside = createElementsBeside();
  const room = createRoom(MAX_WAITING);

  function finish(event: Members, line: number, originsBeside: readonly Members[]): void {
    const origins = joined(childrenOf(event, "origin"), originsBeside);
    const mechanisms = joined(childrenOf(event, "focalMechanism"), beside.mechanismsOf(event));
    const origin = preferredOrigin(event, origins, mechanisms);
    if (origin === undefined) {
      error(line, "the event has no origin", detailsOf(event));
      return;
    }
    const magnitudes = joined(magnitudesOf(event, origins), beside.magnitudesOf(event, origins));
    complete({ event, origin, magnitudes, mechanisms, own: textOf(event, OWN_ELEMENT) }, line);
  }

  function addEvent(event: Members, line: number): void {
    if (event["origin"] !== undefined || !refersToOrigin(event)) finish(event, line, NONE);
    else if (room.take(line)) waiting.push({ event, line });
    else {
      const message = "the event's origin stands beside it, and too many events do so";
      error(line, message, detailsOf(event));
    }
  }

  return {
    /** Adds a child of eventParameters. */
    add(name: string, node: Members, line: number): void {
      if (name === "event") {
        addEvent(node, line);
        return;
      }
      const id = textOf(node, "publicID");
      if (id !== undefined && room.take(line)) beside.add(name, id, node);
    },
    /** Completes the events whose origins are not inside them. */
    end(): void {
      for (const { event, line } of waiting) finish(event, line, beside.originsOf(event));
      const { count, line } = room.refusals();
      if (count > 0) error(line, `${count} elements beside the events were left out`);
    },
  };
}

/** Room for a number of elements; counts those that find none, from the line of the first. */
function createRoom(size: number) {
  let used = 0;
  const refusals = { count: 0, line: 0 };
  return {
    take(line: number): boolean {
      if (used < size) {
        used++;
        return true;
      }
      if (refusals.count++ === 0) refusals.line = line;
      return false;
    },
    refusals: () => refusals,
  };
}

/** The elements that stand beside the events of a real-time document. */
function createElementsBeside() {
  const origins = new Map<string, Members>();
  const mechanisms = new Map<string, Members>();
  const magnitudes: Members[] = [];

  return {
    add(name: string, id: string, node: Members): void {
      if (name === "origin") origins.set(id, node);
      else if (name === "focalMechanism") mechanisms.set(id, node);
      else magnitudes.push(node);
    },
    originsOf: (event: Members) => referenced(event, "origin", origins),
    mechanismsOf: (event: Members) => referenced(event, "focalMechanism", mechanisms),
    magnitudesOf(event: Members, ofEvent: readonly Members[]): readonly Members[] {
      if (magnitudes.length === 0) return NONE;
      const preferred = textOf(event, "preferredMagnitudeID");
      const ids = new Set(ofEvent.map((origin) => textOf(origin, "publicID")));
      return magnitudes.filter((magnitude) => {
        const originId = textOf(magnitude, "originID");
        if (originId !== undefined && ids.has(originId)) return true;
        return preferred !== undefined && textOf(magnitude, "publicID") === preferred;
      });
    },
  };
}

function joined(inside: readonly Members[], beside: readonly Members[]): readonly Members[] {
  return beside.length === 0 ? inside : [...inside, ...beside];
}

/** The ids of the event that an error is about. */
export function detailsOf(event: Members): RowErrorDetails {
  const publicId = textOf(event, "publicID");
  return publicId === undefined ? {} : { publicId };
}

function refersToOrigin(event: Members): boolean {
  return event["preferredOriginID"] !== undefined || event["originReference"] !== undefined;
}

/** The distinct elements that an event names by its references and its preferred id. */
function referenced(
  event: Members,
  kind: "origin" | "focalMechanism",
  nodes: ReadonlyMap<string, Members>,
): readonly Members[] {
  if (nodes.size === 0) return NONE;
  const preferred = kind === "origin" ? "preferredOriginID" : "preferredFocalMechanismID";
  const ids = [
    ...childrenOf(event, `${kind}Reference`).map((reference) => textOf(reference, `${kind}ID`)),
    textOf(event, preferred),
  ];
  return [...new Set(ids)]
    .map((id) => (id === undefined ? undefined : nodes.get(id)))
    .filter((node) => node !== undefined);
}
