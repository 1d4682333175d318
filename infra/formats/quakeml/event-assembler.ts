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
  const origins = new Map<string, XmlNode>();
  const mechanisms = new Map<string, XmlNode>();
  const magnitudes: XmlNode[] = [];
  let held = 0;
  let refused = 0;
  let refusedLine = 0;

  function finish(event: XmlNode, line: number, beside: readonly XmlNode[]): void {
    const own = joined(childrenOf(event, "origin"), beside);
    const ownMechanisms = joined(
      childrenOf(event, "focalMechanism"),
      referenced(event, "focalMechanism", mechanisms),
    );
    const origin = preferredOrigin(event, own, ownMechanisms);
    if (origin === undefined) {
      error(line, "the event has no origin", detailsOf(event));
      return;
    }
    const ofEvent = joined(magnitudesOf(event, own), besideMagnitudes(event, own));
    complete({ event, origin, magnitudes: ofEvent, mechanisms: ownMechanisms }, line);
  }

  function besideMagnitudes(event: XmlNode, own: readonly XmlNode[]): readonly XmlNode[] {
    if (magnitudes.length === 0) return NONE;
    const preferred = textOf(event, "preferredMagnitudeID");
    const ids = new Set(own.map((origin) => textOf(origin, "publicID")));
    return magnitudes.filter((magnitude) => {
      const originId = textOf(magnitude, "originID");
      if (originId !== undefined && ids.has(originId)) return true;
      return preferred !== undefined && textOf(magnitude, "publicID") === preferred;
    });
  }

  function hold(line: number): boolean {
    if (held < MAX_WAITING) {
      held++;
      return true;
    }
    if (refused++ === 0) refusedLine = line;
    return false;
  }

  function addEvent(event: XmlNode, line: number): void {
    if (event["origin"] !== undefined || !refersToOrigin(event)) finish(event, line, NONE);
    else if (hold(line)) waiting.push({ event, line });
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
      if (id === undefined || !hold(line)) return;
      if (name === "origin") origins.set(id, node);
      else if (name === "focalMechanism") mechanisms.set(id, node);
      else magnitudes.push(node);
    },
    /** Completes the events whose origins are not inside them. */
    end(): void {
      for (const { event, line } of waiting)
        finish(event, line, referenced(event, "origin", origins));
      if (refused > 0) error(refusedLine, `${refused} elements beside the events were left out`);
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
