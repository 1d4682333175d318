import {
  type Field,
  type Foreign,
  type Kind,
  QUAKEML_TYPES,
  TENSOR_CATEGORIES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { ELEMENT_KINDS } from "#contracts/seismic-event/bulletin-objects.ts";
import { isScmlNamespace } from "../bulletin/members.ts";
import type { FormatReader, RowSink } from "../format-reader.ts";
import type { Named } from "../quakeml/beside.ts";
import { createDocumentReader, type Given } from "../quakeml/reader.ts";
import {
  type Completed,
  type DocumentPlan,
  EVENT_REFERENCES,
  foreignOf,
  foreignOfObject,
  type MemberPlan,
  type OpenObject,
  type TypePlan,
} from "../quakeml/type-plans.ts";
import { isOwn, remarkOnVersion, SCML_NAMESPACE, saidOf, weightsOf } from "./own-elements.ts";
import {
  DIFFERENCES,
  type Difference,
  INVERSION_WORDS,
  metresOf,
  OF_THE_UNIT,
  type OwnMember,
  SCML_TYPES,
  type ScmlType,
  type SharedMember,
  type Words,
} from "./types.ts";

/** What stands inside an origin in SCML, and in the event in QuakeML. */
const INSIDE_ORIGIN = ["stationMagnitude", "magnitude"] as const;
const BESIDE = ["pick", "amplitude", "origin", "focalMechanism"] as const;
/** Elements of the two that SCML has alone. */
const READING = new Set(["pickReference", "amplitudeReference"]);
const CATALOGUE = new Set(["name", "description", "creationInfo", "start", "end", "comment"]);

/** A document of SCML: objects by SCML's names of elements, with QuakeML's names of members. */
const SCML: DocumentPlan = {
  root: "seiscomp",
  parameters: "EventParameters",
  elements: elementsOf(),
  contentNamespace: (ns) => (isScmlNamespace(ns) ? ns : SCML_NAMESPACE),
};

function elementsOf(): ReadonlyMap<string, MemberPlan> {
  const event = planOf("event", "event", { kind: "object", type: "Event", many: true });
  const beside = BESIDE.map((kind) => planOf(kind, kind, QUAKEML_TYPES.Event[kind]));
  const reading = planOfOwn("reading", READING, []);
  const catalogue = planOfOwn("catalog", CATALOGUE, [event]);
  const all = [event, ...beside, reading, catalogue];
  return new Map(all.map((plan) => [plan.element, plan]));
}

/** An element that SCML has alone: all but `children` is kept as foreign elements. */
function planOfOwn(
  name: string,
  beyond: ReadonlySet<string>,
  children: readonly MemberPlan[],
): MemberPlan {
  const type: TypePlan = {
    name,
    elements: new Map(children.map((plan) => [plan.element, plan])),
    attributes: new Map(),
    text: null,
    own: null,
    required: [],
    beyond,
  };
  return { ...planOf(name, name, { kind: "text" }), kind: "object", type };
}

function typePlan(name: TypeName): TypePlan {
  const { elements, attributes } = SCML_TYPES[name];
  const fields = Object.entries<Field>(QUAKEML_TYPES[name]);
  const inside = name === "Origin" ? INSIDE_ORIGIN : [];
  return {
    name,
    elements: new Map([
      ...sharedElements(elements),
      ...inside.map((kind): [string, MemberPlan] => [
        kind,
        planOf(kind, kind, QUAKEML_TYPES.Event[kind]),
      ]),
    ]),
    attributes: new Map(
      attributes.map(({ name, member, field }) => [name, planOf(name, member, field)]),
    ),
    text: null,
    own: null,
    // A bulletin has what QuakeML requires, also where SCML does not.
    required: fields
      .filter(([, { required }]) => required)
      .map(([member, field]) => planOf(member, member, field)),
    beyond:
      name === "Event"
        ? new Set(EVENT_REFERENCES.keys())
        : new Set([...elements].flatMap(([name, place]) => (isBeyond(place) ? [name] : []))),
  };
}

function sharedElements(elements: ScmlType["elements"]): [string, MemberPlan][] {
  return [...elements].flatMap(([element, place]): [string, MemberPlan][] => {
    if (isBeyond(place)) return [];
    return place.map(({ member, field, isNumber, words }) => [
      element,
      planOf(element, member, isNumber ? { kind: "real" } : field, words),
    ]);
  });
}

/** Which of several members an element is, is known only from its text. */
function isBeyond(place: readonly SharedMember[] | OwnMember): place is OwnMember {
  return "own" in place || place.length > 1;
}

function planOf(
  element: string,
  name: string,
  { kind, many, maxLength = Number.POSITIVE_INFINITY, values, type }: Field,
  words: Words = {},
): MemberPlan {
  return {
    name,
    element,
    kind,
    many: many === true,
    maxLength,
    values: values === undefined ? null : valuesOf(values, words),
    type: type === undefined ? null : typePlan(type as TypeName),
    counted: (ELEMENT_KINDS as readonly string[]).indexOf(name),
    isInRow: false,
  };
}

function valuesOf(values: readonly string[], { words = {} }: Words): ReadonlyMap<string, string> {
  const spelled = values.flatMap((value): [string, string][] => {
    const word = words[value];
    return word === undefined ? [[value, value]] : [[word, value]];
  });
  return new Map(spelled);
}

/**
 * A reader of SCML, SeisComP's XML, of every version: rows with bulletins, as QuakeML's reader makes
 * them. Picks, amplitudes, origins and mechanisms stand beside the events, in any order, and belong to
 * those that name them, directly or through others; so do amplitudes of their picks, all amplitudes where
 * there is one event, and readings, which are foreign elements in a bulletin. Since any later object may
 * belong to an event, rows come in the steps of the end. Until then events and objects are in a temporary file, and memory has the hashes of their ids
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
      if (plan.type !== null) TO_QUAKEML.get(plan.type.name)?.(object);
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
    object: { ...event, foreign: [...foreignOf(event), foreign] },
  }));
}

function elementOf({ plan, object, ns }: Completed): Foreign & OpenObject {
  const { type } = plan;
  if (type === null) return { ns, name: plan.element };
  return { ...foreignOfObject(type, plan.element, object, ns) };
}

/** Gets an object that was read under QuakeML's names from SCML. */
type Change = (object: OpenObject) => void;

/**
 * Gives objects of a type, in place, what QuakeML has otherwise: metres, quantities for numbers, three
 * weights for one and its flags, types of inversion.
 */
const TO_QUAKEML: ReadonlyMap<string, Change | null> = new Map(
  Object.keys(QUAKEML_TYPES).map((type) => [type, changeOf(type as TypeName)]),
);

/** Null where nothing is to be done. */
function changeOf(type: TypeName): Change | null {
  const { kilometres = [], numbers = [], required = {} }: Difference = DIFFERENCES[type] ?? {};
  const unsaid = Object.keys(required).filter((member) => required[member] === "");
  const inner = Object.entries<Field>(QUAKEML_TYPES[type]).flatMap(([member, field]) => {
    const change = field.kind === "object" ? changeOf(field.type as TypeName) : null;
    return change === null ? [] : [[member, change] as const];
  });
  const own: { [T in TypeName]?: Change } = { Arrival: giveWeights, MomentTensor: giveMethod };
  const isSame = [kilometres, numbers, unsaid, inner].every((members) => members.length === 0);
  if (isSame && own[type] === undefined) return null;
  return (object) => {
    for (const member of kilometres) toMetres(object, member);
    for (const member of numbers) {
      if (object[member] !== undefined) object[member] = { value: object[member] };
    }
    // Nothing stands where SCML requires something.
    for (const member of unsaid) if (object[member] === "") delete object[member];
    for (const [member, change] of inner) {
      const value = object[member];
      if (Array.isArray(value)) for (const item of value) change(item);
      else if (value !== undefined) change(value as OpenObject);
    }
    own[type]?.(object);
  };
}

function toMetres(object: OpenObject, member: string): void {
  const value = object[member];
  if (typeof value === "number") object[member] = metresOf(value);
  else if (value !== undefined) {
    const quantity = value as OpenObject;
    for (const part of OF_THE_UNIT) toMetres(quantity, part);
  }
}

/** SCML's own weight and flags stay in `foreign`: what is not used could not come back otherwise. */
function giveWeights(arrival: OpenObject): void {
  for (const [name, text] of weightsOf(saidOf(foreignOf(arrival)))) {
    const weight = Number(text);
    if (Number.isFinite(weight)) arrival[name] = weight;
  }
}

const INVERSION_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(INVERSION_WORDS).map(([value, word]) => [word, value]),
);
const CATEGORIES: ReadonlySet<string> = new Set(TENSOR_CATEGORIES);

/** A tensor's method is its category or its type of inversion. */
function giveMethod(tensor: OpenObject): void {
  const foreign = foreignOf(tensor);
  const method = foreign.find((one) => isOwn(one) && one.name === "method");
  const text = method?.text?.trim() ?? "";
  const inversionType = INVERSION_TYPES.get(text);
  if (inversionType !== undefined) tensor["inversionType"] = inversionType;
  else if (CATEGORIES.has(text)) tensor["category"] = text;
  else return;
  const others = foreign.filter((one) => one !== method);
  if (others.length > 0) tensor["foreign"] = others;
  else delete tensor["foreign"];
}
