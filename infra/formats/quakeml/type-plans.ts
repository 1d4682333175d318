import {
  type Field,
  type Foreign,
  type ForeignAttribute,
  type Kind,
  QUAKEML_TYPES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { ELEMENT_KINDS } from "#contracts/seismic-event/bulletin-objects.ts";
import { isQuakemlNamespace } from "../bulletin/members.ts";
import {
  FOCAL_MECHANISM,
  type MechanismShape,
  type MemberKind,
  ORIGIN_FLAGS,
  ORIGIN_IDS,
  ORIGIN_UNCERTAINTY,
} from "../bulletin/row.ts";
import { BED_1_2 } from "./own-forms.ts";

/** The members of an object that come into a row, with those of its parts. */
type RowShape = { readonly [member: string]: RowShape };

const ALL: RowShape = {};
const QUANTITY = members("value", "uncertainty");
const CREATION_INFO = members("agencyID", "author", "creationTime", "version");

/** What a row takes from an event: whatever else an event holds is in its bulletin alone. */
const EVENT_IN_ROW: RowShape = {
  ...members("publicID", "type", "typeCertainty"),
  ...members("preferredOriginID", "preferredMagnitudeID", "preferredFocalMechanismID"),
  description: members("text", "type"),
  creationInfo: CREATION_INFO,
  origin: {
    ...members("publicID", "depthType", "region", "evaluationMode", "evaluationStatus"),
    ...members(...Object.values(ORIGIN_FLAGS), ...Object.values(ORIGIN_IDS)),
    time: QUANTITY,
    latitude: QUANTITY,
    longitude: QUANTITY,
    depth: QUANTITY,
    quality: members(
      "usedPhaseCount",
      "usedStationCount",
      "standardError",
      "azimuthalGap",
      "minimumDistance",
    ),
    originUncertainty: shapeOf(ORIGIN_UNCERTAINTY),
    creationInfo: CREATION_INFO,
  },
  magnitude: {
    ...members("publicID", "type", "originID", "stationCount", "methodID"),
    mag: QUANTITY,
    creationInfo: members("agencyID"),
  },
  focalMechanism: shapeOf(FOCAL_MECHANISM),
};

function members(...names: readonly string[]): RowShape {
  return Object.fromEntries(names.map((name) => [name, ALL]));
}

function shapeOf(shape: MechanismShape): RowShape {
  return Object.fromEntries(Object.entries(shape).map(([name, kind]) => [name, partOf(kind)]));
}

function partOf(kind: MemberKind): RowShape {
  if (kind === "quantity") return members("value");
  if (typeof kind === "string") return ALL;
  if ("members" in kind) return shapeOf(kind.members);
  return "list" in kind ? shapeOf(kind.list) : ALL;
}

/** How a member of a type is read. */
export type MemberPlan = {
  readonly name: string;
  /** The name of its element. */
  readonly element: string;
  readonly kind: Field["kind"];
  readonly many: boolean;
  readonly maxLength: number;
  /** The values of an enumeration, by their text. */
  readonly values: ReadonlyMap<string, string> | null;
  /** Of a member that is an object. */
  readonly type: TypePlan | null;
  /** Place in ELEMENT_KINDS, −1 for what is not counted. */
  readonly counted: number;
  /** Whether a row shows it. */
  readonly isInRow: boolean;
};

/** How an object of a type is read: its members by the names that they have in XML. */
export type TypePlan = {
  readonly name: string;
  readonly elements: ReadonlyMap<string, MemberPlan>;
  readonly attributes: ReadonlyMap<string, MemberPlan>;
  /** The member that is the element's own text. */
  readonly text: MemberPlan | null;
  /** The member of a namespace of our own. */
  readonly own: MemberPlan | null;
  readonly required: readonly MemberPlan[];
  /** Elements that the format has and QuakeML 1.2 BED has not: they are kept as foreign ones. */
  readonly beyond: ReadonlySet<string>;
};

/** A document of events, by local names. */
export type DocumentPlan = {
  readonly root: string;
  /** The element that holds the events, which may be the root itself. */
  readonly parameters: string;
  /** Its children: events and, in the real-time variant and in SCML, objects beside them. */
  readonly elements: ReadonlyMap<string, MemberPlan>;
  /** The namespace for what is not valid, from the one that its element has. */
  readonly contentNamespace: (ns: string) => string;
};

const BESIDE: readonly Kind[] = [
  "origin",
  "magnitude",
  "stationMagnitude",
  "amplitude",
  "pick",
  "focalMechanism",
];

/** In the real-time variant, as in SCML, an origin's magnitudes are inside it. */
const INSIDE_ORIGIN = ["magnitude", "stationMagnitude"] as const;

/** By these elements an event of the real-time variant, or of SCML, names objects beside it. */
export const EVENT_REFERENCES: ReadonlyMap<string, Kind> = new Map([
  ["originReference", "origin"],
  ["magnitudeReference", "magnitude"],
  ["focalMechanismReference", "focalMechanism"],
]);
const NONE: ReadonlySet<string> = new Set();

/** All that QuakeML has of an event. */
export const WHOLE: DocumentPlan = documentPlan(false);
/** What comes into a row. */
export const ROWS: DocumentPlan = documentPlan(true);

function documentPlan(rowsOnly: boolean): DocumentPlan {
  const event = memberPlan("event", { kind: "object", type: "Event" }, EVENT_IN_ROW, rowsOnly);
  const beside = BESIDE.map((kind) => event.type?.elements.get(kind)).filter(
    (plan) => plan !== undefined,
  );
  return {
    root: "quakeml",
    parameters: "eventParameters",
    elements: new Map([event, ...beside].map((plan) => [plan.name, plan])),
    // Documents with a wrong namespace or none are QuakeML too.
    contentNamespace: (ns) => (isQuakemlNamespace(ns) ? ns : BED_1_2),
  };
}

function typePlan(name: TypeName, shape: RowShape | undefined, rowsOnly: boolean): TypePlan {
  const fields: Readonly<Record<string, Field>> = QUAKEML_TYPES[name];
  const elements = new Map<string, MemberPlan>();
  const attributes = new Map<string, MemberPlan>();
  const required: MemberPlan[] = [];
  const byPlace: { text: MemberPlan | null; own: MemberPlan | null } = { text: null, own: null };
  for (const [member, field] of Object.entries(fields)) {
    if (rowsOnly && shape?.[member] === undefined) continue;
    const plan = memberPlan(member, field, shape?.[member], rowsOnly);
    if (field.required) required.push(plan);
    if (field.xml === "attribute") attributes.set(member, plan);
    else if (field.xml !== undefined) byPlace[field.xml] = plan;
    else elements.set(member, plan);
  }
  if (name === "Origin") addInside(elements, rowsOnly);
  const beyond = name === "Event" ? new Set(EVENT_REFERENCES.keys()) : NONE;
  return { name, elements, attributes, ...byPlace, required, beyond };
}

function addInside(elements: Map<string, MemberPlan>, rowsOnly: boolean): void {
  const fields: Readonly<Record<string, Field>> = QUAKEML_TYPES.Event;
  for (const kind of INSIDE_ORIGIN) {
    const shape = EVENT_IN_ROW[kind];
    if (rowsOnly && shape === undefined) continue;
    elements.set(kind, memberPlan(kind, fields[kind] as Field, shape, rowsOnly));
  }
}

function memberPlan(
  name: string,
  { kind, many, maxLength = Number.POSITIVE_INFINITY, values, type }: Field,
  shape: RowShape | undefined,
  rowsOnly: boolean,
): MemberPlan {
  return {
    name,
    element: name,
    kind,
    many: many === true,
    maxLength,
    values: values === undefined ? null : new Map(values.map((value) => [value, value])),
    type: type === undefined ? null : typePlan(type as TypeName, shape, rowsOnly),
    counted: (ELEMENT_KINDS as readonly string[]).indexOf(name),
    isInRow: shape !== undefined,
  };
}

/** An object while it is read. */
export type OpenObject = { [member: string]: unknown };

/** A complete child of the element that holds the events. */
export type Completed = {
  readonly plan: MemberPlan;
  readonly object: OpenObject;
  /** The namespace of its element. */
  readonly ns: string;
  /** It has what QuakeML requires. */
  readonly isValid: boolean;
};

export function foreignOf(object: OpenObject): readonly Foreign[] {
  return (object["foreign"] ?? []) as readonly Foreign[];
}

/** An object that lacks what QuakeML requires, as an element: for that its members are spelled again. */
export function foreignOfObject(
  type: TypePlan,
  name: string,
  object: OpenObject,
  ns: string,
): Foreign {
  const others = foreignOf(object);
  const attributes = attributesIn(others, undefined);
  const children: Foreign[] = [];
  for (const plan of type.attributes.values()) {
    const value = object[plan.name];
    if (value !== undefined && value !== "") {
      attributes.push({ name: plan.name, text: String(value) });
    }
  }
  for (const plan of type.elements.values()) {
    for (const value of valuesOf(object[plan.name])) {
      if (value === "" && plan.kind === "reference") continue;
      if (plan.type !== null) {
        children.push(foreignOfObject(plan.type, plan.element, value as OpenObject, ns));
      } else {
        const ofMember = attributesIn(others, plan.name);
        children.push(elementOf(ns, plan.element, String(value), ofMember, []));
      }
    }
  }
  const text = type.text === null ? undefined : object[type.text.name];
  children.push(...others.filter((item) => item.attribute !== true));
  return elementOf(ns, name, (text ?? "") as string, attributes, children);
}

/** A foreign element; empty lists and blanks between children are nothing. */
export function elementOf(
  ns: string,
  name: string,
  text: string,
  attributes: readonly ForeignAttribute[],
  children: readonly Foreign[],
): Foreign {
  // Between children, blanks are layout.
  const isLayout = text === "" || (children.length > 0 && text.trim() === "");
  return {
    ns,
    name,
    ...(!isLayout && { text }),
    ...(attributes.length > 0 && { attributes }),
    ...(children.length > 0 && { children }),
  };
}

/** @param at the simple member on which they stand, if not on the object */
function attributesIn(others: readonly Foreign[], at: string | undefined): ForeignAttribute[] {
  return others
    .filter((item) => item.attribute === true && item.at === at)
    .map(({ ns, name, text = "" }) => (ns === "" ? { name, text } : { ns, name, text }));
}

function valuesOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
