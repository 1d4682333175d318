import {
  type Foreign,
  type ForeignAttribute,
  type Kind,
  type ReferencePlan,
  referencePlanOf,
} from "#contracts/bulletin/quakeml.ts";
import {
  ELEMENT_KINDS,
  MAX_BULLETIN_BYTES,
  MAX_BULLETIN_ELEMENTS,
} from "#contracts/seismic-event/bulletin-objects.ts";
import { EVENT_ID_PATH } from "#contracts/seismic-event/ids.ts";
import type { JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import { OWN_ELEMENT, OWN_NAMESPACE, serviceId } from "../bulletin/members.ts";
import { FLAGS } from "../bulletin/row.ts";
import { decimalNumber } from "../written-values.ts";
import { type Given, givenIn, givenInJson, isStandIn, OWN_FORMS } from "./own-forms.ts";
import {
  type DocumentPlan,
  foreignOf,
  foreignOfObject,
  type MemberPlan,
  type OpenObject,
  type TypePlan,
} from "./type-plans.ts";

/** Text without anything in it, which says nothing. */
const BLANK = Symbol("blank");

const INTEGER = /^[+-]?\d{1,16}$/;

/** The value of a simple member by its text; undefined for one that QuakeML does not allow. */
function leafValue(
  plan: MemberPlan,
  text: string,
): string | number | boolean | typeof BLANK | undefined {
  if (plan.kind === "text") return text.length <= plan.maxLength ? text : undefined;
  const value = simpleValue(plan, text);
  if (value !== undefined) return value;
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  return trimmed === text ? undefined : simpleValue(plan, trimmed);
}

function simpleValue(plan: MemberPlan, text: string): string | number | boolean | undefined {
  switch (plan.kind) {
    case "real": {
      // Canonical JSON has no negative zero.
      const value = decimalNumber(text, 0) + 0;
      return Number.isFinite(value) ? value : undefined;
    }
    case "integer": {
      const value = INTEGER.test(text) ? Number(text) + 0 : Number.NaN;
      return Number.isSafeInteger(value) ? value : undefined;
    }
    case "enumeration":
      return plan.values?.get(text);
    case "boolean":
      return FLAGS.get(text);
    default:
      return isTrimmed(text) ? text : undefined;
  }
}

/** Nearly all ids and times begin and end in ASCII. */
function isTrimmed(text: string): boolean {
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(text.length - 1);
  if (first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f) return true;
  return text !== "" && text.trim() === text;
}

/** Numbers like −1.0, 99.90 and −999000, which may stand for "not known". */
const MAY_BE_UNKNOWN = /^\s*-?(?:1|9+)0*(?:\.[09]*)?\s*$/;
const MINUS = 0x2d;
const NINE = 0x39;

/** True for a number that may stand for "not known" and that JSON spells in another way. */
function isSpelledUnknown(text: string, value: number): boolean {
  const first = text.charCodeAt(0);
  if (first !== MINUS && first !== NINE) return false;
  return MAY_BE_UNKNOWN.test(text) && String(value) !== text;
}

/** Digits that tell any double from others: a number with more may have more than JSON has of it. */
const MANY_DIGITS = 16;

/** Characters in JSON beside names and values. */
const OBJECT_SIZE = 4;
const MEMBER_SIZE = 4;

/** Characters of what is kept of one event for a row. */
const MAX_ROW_SIZE = 2 * 1024 * 1024;

/** Attributes by which agencies name an event, in a namespace of theirs. */
const AGENCY_ID = /^(?:eventid|eventsource)$/;

/** The namespace of a prefix, undefined for one that is not declared. */
export type Resolve = (prefix: string) => string | undefined;

export type ObjectBuilder = ReturnType<typeof createObjectBuilder>;

/**
 * Puts what is read of an event's elements and attributes into its objects. What QuakeML does not allow
 * where it stands goes into `foreign`; an object that lacks what is required does so as a whole, but
 * missing texts, references and codes of streams are empty, and missing ids are given later.
 * @param isWhole whether everything is kept, not just what comes into a row
 */
export function createObjectBuilder(isWhole: boolean, { contentNamespace }: DocumentPlan) {
  const maxSize = isWhole ? MAX_BULLETIN_BYTES : MAX_ROW_SIZE;
  let reading = newReading();

  function fault(type: TypePlan, member: string): void {
    if (isWhole) reading.faults.push(`${type.name}.${member}`);
  }

  function addForeign(object: OpenObject, item: Foreign): void {
    const present = object["foreign"] as Foreign[] | undefined;
    if (present === undefined) object["foreign"] = [item];
    else present.push(item);
  }

  function refuse(type: TypePlan, object: OpenObject, item: Foreign): void {
    fault(type, item.name);
    addForeign(object, item);
    reading.isBeyondRow = true;
  }

  /** Undefined for a value that QuakeML does not allow there; the member must not be set before. */
  function putText(object: OpenObject, plan: MemberPlan, text: string): unknown {
    reading.size += plan.name.length + text.length + MEMBER_SIZE;
    if (!plan.isInRow) reading.isBeyondRow = true;
    const value = leafValue(plan, text);
    if (value === undefined || value === BLANK) return value;
    object[plan.name] = value;
    if (typeof value === "number" && plan.isInRow) noteSpelling(object, plan.name, text, value);
    return value;
  }

  function noteSpelling(object: OpenObject, member: string, text: string, value: number): void {
    const isUnknown = isSpelledUnknown(text, value);
    if (!isUnknown && (text.length <= MANY_DIGITS || String(value) === text)) return;
    reading.spelled.push({ object, member, text: text.trim(), isUnknown });
  }

  function addAttribute(
    object: OpenObject,
    { ns = "", name, text }: ForeignAttribute,
    at?: string,
  ): void {
    addForeign(object, { ns, name, attribute: true, ...(at !== undefined && { at }), text });
    reading.size += ns.length + name.length + text.length + OBJECT_SIZE;
    reading.elements++;
    reading.isBeyondRow = true;
  }

  function complete(type: TypePlan, object: OpenObject): boolean {
    for (const { name, kind, type: part } of type.required) {
      if (object[name] !== undefined) continue;
      if (kind === "text" || kind === "reference") object[name] = "";
      else if (kind === "id") {
        object[name] = "";
        reading.hasUnnamed = true;
      } else if (part?.name === "WaveformStreamID") {
        object[name] = { networkCode: "", stationCode: "" };
      } else return false;
    }
    return true;
  }

  function takeGiven(type: TypePlan, object: OpenObject, { members, foreign }: Given): void {
    for (const [name, value] of Object.entries(members)) {
      const plan = type.elements.get(name) ?? type.attributes.get(name) ?? type.text;
      const taken = plan?.name === name ? givenValue(plan, value) : undefined;
      if (taken !== undefined) object[name] = taken;
    }
    for (const item of foreign) addForeign(object, item);
    reading.isBeyondRow = true;
  }

  function ownAttribute(type: TypePlan, object: OpenObject, name: string, text: string): boolean {
    if (name === OWN_FORMS.givenId && type.attributes.has("publicID")) {
      reading.givenIds.push({ type, object, id: text });
      return true;
    }
    if (name === OWN_FORMS.member && type.own !== null) {
      const places = text.trim().split(/\s+/).map(Number);
      if (!places.every(Number.isSafeInteger)) return false;
      object[type.own.name] = places;
      return true;
    }
    const given = name === OWN_FORMS.given ? givenInJson(text) : null;
    if (given !== null) takeGiven(type, object, given);
    return given !== null;
  }

  return {
    isWhole,
    reading: () => reading,
    /** True when what was read since `begin` is more than one event may have. */
    isBeyondLimit: (): boolean =>
      reading.size > maxSize || (isWhole && reading.elements > MAX_BULLETIN_ELEMENTS),
    /** Begins a child of eventParameters. */
    begin(): void {
      reading = newReading();
    },
    /** Counts an object that begins. */
    open(plan: MemberPlan): void {
      reading.size += plan.name.length + OBJECT_SIZE;
      if (plan.counted >= 0) {
        reading.counts[plan.counted] = (reading.counts[plan.counted] ?? 0) + 1;
        reading.elements++;
      }
      if (!plan.isInRow) reading.isBeyondRow = true;
    },
    /** True for a further element of a member that is single. */
    isTaken: (plan: MemberPlan, object: OpenObject): boolean =>
      !plan.many && object[plan.name] !== undefined,
    /** Adds a complete object to the one that it stands in; `ns` is its element's namespace. */
    put(
      type: TypePlan,
      parent: OpenObject,
      plan: MemberPlan,
      object: OpenObject,
      ns: string,
    ): void {
      const part = plan.type;
      if (part === null) return;
      if (isWhole && part.required.length === 0 && isEmpty(object)) return;
      if (isWhole && !complete(part, object)) {
        refuse(type, parent, foreignOfObject(part, plan.element, object, contentNamespace(ns)));
        return;
      }
      if (type.name === "Origin" && part.name.endsWith("agnitude")) reading.hasInside = true;
      const present = parent[plan.name];
      if (!plan.many) parent[plan.name] = object;
      else if (present === undefined) parent[plan.name] = [object];
      else (present as OpenObject[]).push(object);
    },
    /** True when an object that stands in no other has what is required. */
    complete,
    /** Adds a simple member by its element's text, and that element's attributes. */
    putLeaf(
      type: TypePlan,
      object: OpenObject,
      plan: MemberPlan,
      text: string,
      ns: string,
      attributes: readonly ForeignAttribute[],
    ): void {
      if (putText(object, plan, text) === undefined) {
        const item = { ns: contentNamespace(ns), name: plan.element, ...(text !== "" && { text }) };
        refuse(type, object, attributes.length === 0 ? item : { ...item, attributes });
      } else for (const attribute of attributes) addAttribute(object, attribute, plan.name);
    },
    /** Adds an element's attribute; declarations of namespaces are none. */
    putAttribute(
      type: TypePlan,
      object: OpenObject,
      name: string,
      text: string,
      resolve: Resolve,
    ): void {
      const plan = type.attributes.get(name);
      if (plan !== undefined) {
        if (putText(object, plan, text) !== undefined) return;
        refuse(type, object, { ns: "", name, attribute: true, text });
        return;
      }
      const attribute = foreignAttribute(name, text, resolve);
      const { ns, name: local } = attribute;
      if (ns === OWN_NAMESPACE && ownAttribute(type, object, local, text)) return;
      if (isWhole || (type.name === "Event" && AGENCY_ID.test(local))) {
        addAttribute(object, attribute);
      }
    },
    /** True for an element that is none of its parent's members and kept nevertheless. */
    isKept: (type: TypePlan, ns: string, local: string): boolean =>
      isWhole ||
      (type.name === "Event" &&
        (ns === OWN_NAMESPACE ? local === OWN_ELEMENT : type.beyond.has(local))),
    /** Counts a foreign element, or one within it. */
    openForeign(ns: string, local: string): void {
      reading.size += ns.length + local.length + OBJECT_SIZE;
      reading.elements++;
    },
    /** Adds an element that is none of its parent's members. */
    putForeign(type: TypePlan, object: OpenObject, item: Foreign): void {
      if (item.ns === OWN_NAMESPACE) {
        const given = item.name === OWN_FORMS.given ? givenIn(item) : null;
        if (given !== null) {
          takeGiven(type, object, given);
          return;
        }
        if (item.name !== OWN_ELEMENT) reading.isBeyondRow = true;
      } else reading.isBeyondRow = true;
      addForeign(object, item);
    },
    /** Adds an element of QuakeML that is not valid where it stands. */
    putInvalid(type: TypePlan, object: OpenObject, item: Foreign): void {
      refuse(type, object, { ...item, ns: contentNamespace(item.ns) });
    },
  };
}

/** An attribute with its namespace; a prefix that is not declared stands for itself. */
export function foreignAttribute(name: string, text: string, resolve: Resolve): ForeignAttribute {
  const colon = name.indexOf(":");
  if (colon < 0) return { name, text };
  const prefix = name.slice(0, colon);
  return { ns: resolve(prefix) ?? prefix, name: name.slice(colon + 1), text };
}

/** Whether an attribute declares a namespace. */
export function isDeclaration(name: string): boolean {
  return name.startsWith("xmlns") && (name.length === 5 || name.charAt(5) === ":");
}

function givenValue(plan: MemberPlan, value: JsonValue): JsonValue | undefined {
  if (plan.type !== null || typeof value !== "string") return undefined;
  const taken = leafValue(plan, value);
  return taken === BLANK ? undefined : (taken as JsonValue | undefined);
}

function isEmpty(object: OpenObject): boolean {
  for (const _ in object) return false;
  return true;
}

/** What is noted while one child of eventParameters is read. */
export type EventReading = ReturnType<typeof newReading>;

type SpelledNumber = {
  readonly object: OpenObject;
  readonly member: string;
  readonly text: string;
  /** It may stand for "not known"; else it has more digits than JSON has of it. */
  readonly isUnknown: boolean;
};

export function newReading() {
  return {
    /** Characters that its JSON has at least. */
    size: 0,
    /** Elements of the counted kinds, and foreign ones. */
    elements: 0,
    /** It holds more than a row of our own writer. */
    isBeyondRow: false,
    /** Origins hold magnitudes. */
    hasInside: false,
    /** Elements by their place in ELEMENT_KINDS. */
    counts: ELEMENT_KINDS.map(() => 0),
    /** Members with a value that QuakeML does not allow there. */
    faults: [] as string[],
    /** Numbers of rows that JSON spells in another way. */
    spelled: [] as SpelledNumber[],
    /** Objects with an id of the service and the one that they were given. */
    givenIds: [] as { readonly type: TypePlan; readonly object: OpenObject; readonly id: string }[],
    /** Some objects have no id. */
    hasUnnamed: false,
  };
}

/** Keeps what was noted so far, to return to it when an element turns out to be read in another way. */
export function createReadingMark() {
  const mark = newReading();
  return {
    set: (reading: EventReading) => copyState(reading, mark),
    restore: (reading: EventReading) => copyState(mark, reading),
  };
}

/** Of lists the lengths alone: to return to a shorter one cuts it. */
function copyState(from: EventReading, to: EventReading): void {
  to.size = from.size;
  to.elements = from.elements;
  to.isBeyondRow = from.isBeyondRow;
  to.hasInside = from.hasInside;
  for (let i = 0; i < to.counts.length; i++) to.counts[i] = from.counts[i] ?? 0;
  to.faults.length = from.faults.length;
  to.spelled.length = from.spelled.length;
  to.givenIds.length = from.givenIds.length;
  to.hasUnnamed = from.hasUnnamed;
}

const EVENT_PLAN = referencePlanOf("Event");

type ReferenceVisitor = {
  /** An object with an id; its kind is the name of its element. */
  readonly object?: (kind: Kind, object: OpenObject) => void;
  readonly reference?: (to: Kind, object: OpenObject, member: string) => void;
};

/** Visits an event's objects and references, in the order of the table, without following any. */
export function walkReferences(event: OpenObject, visitor: ReferenceVisitor): void {
  visit(EVENT_PLAN, event, null, visitor);
}

function visit(
  plan: ReferencePlan,
  object: OpenObject,
  kind: Kind | null,
  visitor: ReferenceVisitor,
): void {
  if (kind !== null && plan.hasId) visitor.object?.(kind, object);
  for (const { member, to } of plan.references) {
    if (object[member] !== undefined) visitor.reference?.(to, object, member);
  }
  for (const { member, many, plan: inner } of plan.parts) {
    const value = object[member];
    if (value === undefined) continue;
    if (!many) visit(inner, value as OpenObject, member as Kind, visitor);
    else for (const item of value as OpenObject[]) visit(inner, item, member as Kind, visitor);
  }
}

/**
 * How many references lead nowhere, and how many ids are another's of the kind, by kind: one look-up for
 * each reference. A reference that is empty, because it is missing, counts as none.
 */
export function referenceFaults(event: OpenObject) {
  const ids = new Map<Kind, Set<string>>();
  const repeated = new Map<Kind, number>();
  const dangling = new Map<Kind, number>();
  walkReferences(event, {
    object(kind, { publicID }) {
      const present = ids.get(kind);
      if (present === undefined) ids.set(kind, new Set([publicID as string]));
      else if (present.has(publicID as string)) add(repeated, kind);
      else present.add(publicID as string);
    },
  });
  walkReferences(event, {
    reference(to, object, member) {
      const id = object[member] as string;
      if (id !== "" && ids.get(to)?.has(id) !== true) add(dangling, to);
    },
  });
  return { dangling, repeated };
}

function add(counts: Map<Kind, number>, kind: Kind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

/**
 * Puts right what an event says about itself only when it is complete: ids of the service that stand for
 * given ones, objects without an id, and magnitudes inside origins.
 */
export function finishEvent(event: OpenObject, reading: EventReading): void {
  if (reading.givenIds.length > 0) restoreIds(event, reading.givenIds);
  if (reading.hasInside) takeOutOfOrigins(event);
  if (reading.hasUnnamed) nameObjects(event);
}

function restoreIds(event: OpenObject, givenIds: EventReading["givenIds"]): void {
  const given = new Map<string, string>();
  for (const { type, object, id } of givenIds) {
    const standIn = object["publicID"] as string;
    if (isStandIn(standIn) || (type.name === "Event" && standIn.startsWith(EVENT_ID_PATH))) {
      given.set(standIn, id);
      object["publicID"] = id;
    } else {
      const item = { ns: OWN_NAMESPACE, name: OWN_FORMS.givenId, attribute: true, text: id };
      object["foreign"] = [...foreignOf(object), item];
    }
  }
  walkReferences(event, {
    reference(_, object, member) {
      object[member] = given.get(object[member] as string) ?? object[member];
    },
  });
}

/** As in SCML, a magnitude inside an origin is of that origin. */
export function takeOutOfOrigins(event: OpenObject): void {
  for (const origin of (event["origin"] ?? []) as OpenObject[]) {
    for (const kind of ["magnitude", "stationMagnitude"] as const) {
      const inside = origin[kind] as OpenObject[] | undefined;
      if (inside === undefined) continue;
      delete origin[kind];
      for (const object of inside) object["originID"] ||= origin["publicID"];
      event[kind] = [...((event[kind] ?? []) as OpenObject[]), ...inside];
    }
  }
}

/** Gives an event and its objects ids of the service where they have none. */
export function nameObjects(event: OpenObject): void {
  if (event["publicID"] === "") {
    // What it says of its origin tells an event without an id from others.
    event["publicID"] = serviceId(JSON.stringify(event["origin"] ?? event), "event", 0);
  }
  const counts = new Map<Kind, number>();
  walkReferences(event, {
    object(kind, object) {
      if (object["publicID"] !== "") return;
      const place = counts.get(kind) ?? 0;
      counts.set(kind, place + 1);
      object["publicID"] = serviceId(event["publicID"] as string, kind, `n${place}`);
    },
  });
}
