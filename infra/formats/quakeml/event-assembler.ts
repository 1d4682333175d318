import type { RowErrorDetails, RowSink } from "../format-reader.ts";
import { childrenOf, textOf, type XmlNode } from "../xml/xml-shape.ts";
import { magnitudesOf, preferredOrigin } from "./preferred.ts";
import type { EventParts } from "./read-event.ts";

/** Most origins, magnitudes, mechanisms and events held until the end of a real-time document. */
const MAX_WAITING = 20_000;

const NONE: readonly XmlNode[] = [];

type Waiting = { readonly event: XmlNode; readonly line: number };

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

  function finish(event: XmlNode, line: number, originsBeside: readonly XmlNode[]): void {
    const origins = joined(childrenOf(event, "origin"), originsBeside);
    const mechanisms = joined(childrenOf(event, "focalMechanism"), beside.mechanismsOf(event));
    const origin = preferredOrigin(event, origins, mechanisms);
    if (origin === undefined) {
      error(line, "the event has no origin", detailsOf(event));
      return;
    }
    const magnitudes = joined(magnitudesOf(event, origins), beside.magnitudesOf(event, origins));
    complete({ event, origin, magnitudes, mechanisms }, line);
  }

  function addEvent(event: XmlNode, line: number): void {
    if (event["origin"] !== undefined || !refersToOrigin(event)) finish(event, line, NONE);
    else if (room.take(line)) waiting.push({ event, line });
    else {
      const message = "the event's origin stands beside it, and too many events do so";
      error(line, message, detailsOf(event));
    }
  }

  return {
    /** Adds a child of eventParameters. */
    add(name: string, node: XmlNode, line: number): void {
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
  const origins = new Map<string, XmlNode>();
  const mechanisms = new Map<string, XmlNode>();
  const magnitudes: XmlNode[] = [];

  return {
    add(name: string, id: string, node: XmlNode): void {
      if (name === "origin") origins.set(id, node);
      else if (name === "focalMechanism") mechanisms.set(id, node);
      else magnitudes.push(node);
    },
    originsOf: (event: XmlNode) => referenced(event, "origin", origins),
    mechanismsOf: (event: XmlNode) => referenced(event, "focalMechanism", mechanisms),
    magnitudesOf(event: XmlNode, ofEvent: readonly XmlNode[]): readonly XmlNode[] {
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

function joined(inside: readonly XmlNode[], beside: readonly XmlNode[]): readonly XmlNode[] {
  return beside.length === 0 ? inside : [...inside, ...beside];
}

/** The ids of the event that an error is about. */
export function detailsOf(event: XmlNode): RowErrorDetails {
  const publicId = textOf(event, "publicID");
  return publicId === undefined ? {} : { publicId };
}

function refersToOrigin(event: XmlNode): boolean {
  return event["preferredOriginID"] !== undefined || event["originReference"] !== undefined;
}

/** The distinct elements that an event names by its references and its preferred id. */
function referenced(
  event: XmlNode,
  kind: "origin" | "focalMechanism",
  nodes: ReadonlyMap<string, XmlNode>,
): readonly XmlNode[] {
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
