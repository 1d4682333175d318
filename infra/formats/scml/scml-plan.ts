import { ELEMENT_KINDS } from "#contracts/bulletin/element-counts.ts";
import type { Field } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";
import {
  type DocumentPlan,
  EVENT_REFERENCES,
  type MemberPlan,
  type TypePlan,
} from "../quakeml/reading/type-plans.ts";
import { isScmlNamespace } from "../xml/content-namespaces.ts";
import { type OwnMember, SCML_TYPES, type ScmlType, type SharedMember } from "./members.ts";
import { SCML_NAMESPACE } from "./scml-namespace.ts";
import type { Words } from "./words.ts";

/** What stands inside an origin in SCML, and in the event in QuakeML. */
const INSIDE_ORIGIN = ["stationMagnitude", "magnitude"] as const;
const BESIDE = ["pick", "amplitude", "origin", "focalMechanism"] as const;
/** Elements of the two that SCML has alone. */
const READING = new Set(["pickReference", "amplitudeReference"]);
const CATALOGUE = new Set(["name", "description", "creationInfo", "start", "end", "comment"]);

/** A document of SCML: objects by SCML's names of elements, with QuakeML's names of members. */
export const SCML: DocumentPlan = {
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
    beyond: name === "Event" ? EVENT_REFERENCES : beyondOf(elements),
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

function beyondOf(elements: ScmlType["elements"]): ReadonlySet<string> {
  return new Set([...elements].flatMap(([name, place]) => (isBeyond(place) ? [name] : [])));
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
