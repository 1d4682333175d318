import type { Foreign } from "#contracts/bulletin/bulletin.ts";
import type { Kind } from "#contracts/bulletin/field.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import type { Named } from "../quakeml/beside/objects-beside.ts";
import { createDocumentReader, type Given } from "../quakeml/document-reader.ts";
import { foreignOfObject, type OpenObject } from "../quakeml/reading/foreign-of-object.ts";
import type { Completed } from "../quakeml/reading/open-elements.ts";
import { remarkOnVersion } from "./scml-namespace.ts";
import { SCML } from "./scml-plan.ts";
import { TO_QUAKEML } from "./to-quakeml.ts";

/**
 * A reader of SCML, SeisComP's XML, of every version: rows with bulletins, as QuakeML's reader makes
 * them. Picks, amplitudes, origins and mechanisms stand beside the events, in any order, and belong to
 * those that name them, directly or through others; so do amplitudes of their picks, all amplitudes where
 * there is one event, and readings, which are foreign elements in a bulletin. Since any later object may belong to an event, rows come in the steps
 * of the end. Until then events and objects are in a temporary file, and memory has the hashes of their ids
 * and their places in it: some 70 bytes for each id.
 */
export function createScmlReader(sink: RowSink): FormatReader {
  let isVersionKnown = false;

  function remark(namespace: string): void {
    if (isVersionKnown) return;
    isVersionKnown = true;
    const message = remarkOnVersion(namespace);
    if (message !== null) sink.warning(1, message);
  }

  return createDocumentReader(sink, {
    format: "scml",
    document: SCML,
    isAnswer: false,
    bulletins: true,
    given(element) {
      remark(element.ns);
      return givenBy(element);
    },
  });
}

function givenBy(element: Completed): readonly Given[] {
  const { plan, object, isValid } = element;
  switch (plan.name) {
    case "event":
      return [{ list: "event", object }];
    case "catalog":
      return eventsOf(element);
    case "reading":
      return [readingOf(element)];
    default: {
      if (!isValid) return [invalid(element)];
      if (plan.type !== null) TO_QUAKEML[plan.type.name as keyof typeof TO_QUAKEML](object);
      return [{ list: plan.name as Kind, object }];
    }
  }
}

/** An object that lacks what QuakeML requires, as an amplitude without a value, is kept as a foreign element. */
function invalid(element: Completed): Given {
  const { plan, object } = element;
  const owners: Named[] = [];
  const { publicID, pickID } = object;
  if (typeof publicID === "string") owners.push({ kind: plan.name as Kind, id: publicID });
  if (typeof pickID === "string") owners.push({ kind: "pick", id: pickID });
  return { list: "foreign", object: elementOf(element), owners };
}

/** A reading belongs to the events of its picks and amplitudes. */
function readingOf(element: Completed): Given {
  const foreign = elementOf(element);
  const owners = (foreign.children ?? []).flatMap(({ name, text = "" }): Named[] => {
    if (name === "pickReference") return [{ kind: "pick", id: text.trim() }];
    return name === "amplitudeReference" ? [{ kind: "amplitude", id: text.trim() }] : [];
  });
  return { list: "foreign", object: foreign, owners };
}

/** The events of a catalogue, which each keep what is said of it. */
function eventsOf(element: Completed): readonly Given[] {
  const { event: events = [], ...catalogue } = element.object;
  const foreign = elementOf({ ...element, object: catalogue });
  return (events as OpenObject[]).map((event) => ({
    list: "event",
    object: { ...event, foreign: [...((event["foreign"] ?? []) as Foreign[]), foreign] },
  }));
}

function elementOf({ plan, object, ns }: Completed): Foreign & OpenObject {
  const { type } = plan;
  if (type === null) return { ns, name: plan.element };
  return { ...foreignOfObject(type, plan.element, object, ns) };
}
