import type { Bulletin, Foreign, QuakemlObject, TypeName } from "#contracts/bulletin/quakeml.ts";
import { createTextIndex } from "../../files/text-index.ts";
import { isScmlNamespace, isServiceId } from "../bulletin/members.ts";
import type { BulletinWriter } from "../format-writer.ts";
import { xmlAttribute, xmlText } from "../xml/xml.ts";
import {
  isOwn,
  isWritten,
  READING,
  SCML_NAMESPACE,
  SCML_VERSION,
  withFlags,
  writeOwn,
} from "./own-elements.ts";
import {
  kilometresOf,
  OF_THE_UNIT,
  type OwnMember,
  SCML_TYPES,
  type SharedMember,
} from "./types.ts";

/**
 * A writer of SC3ML 0.13, SeisComP's XML, valid by its schema. What SCML has no place for is counted
 * in a comment at the end, since nothing is known of it before.
 */
export function createScmlWriter(): BulletinWriter {
  const losses = createLosses();
  return {
    begin: () =>
      `<?xml version="1.0" encoding="UTF-8"?>\n` +
      `<seiscomp xmlns="${SCML_NAMESPACE}" version="${SCML_VERSION}">\n<EventParameters>\n`,
    event: createEventWriter(losses),
    end() {
      const told = losses.told();
      const comment = told === "" ? "" : `<!-- not held by SC3ML ${SCML_VERSION}: ${told} -->\n`;
      return `</EventParameters>\n${comment}</seiscomp>\n`;
    },
  };
}

/**
 * Returns the writer of events: picks, amplitudes, readings, origins with their magnitudes and
 * mechanisms, then the event, which refers to origins and mechanisms.
 */
function createEventWriter(losses: Losses): (bulletin: Bulletin) => string {
  const writeObject = createObjectWriter(losses);
  const present = createWrittenObjects();

  function one(name: string, type: TypeName, object: Members, further = ""): string {
    const xml = writeObject(name, type, object, false, further);
    if (xml === null) losses.count(name);
    return xml ?? "";
  }

  /** An event's objects of a kind, but for those that an earlier event has written. */
  function beside<O extends Members & { readonly publicID: string }>(
    kind: string,
    objects: readonly O[] | undefined,
    write: (object: O) => string,
  ): string {
    const ids = new Set<string>();
    let written = "";
    for (const object of objects ?? []) {
      const xml = write(object);
      const isAgain = ids.has(object.publicID);
      ids.add(object.publicID);
      const standing = xml === "" ? "same" : present.add(`${kind} ${object.publicID}`, xml);
      if (standing === "other" && !isAgain) losses.count(`${kind} with the id of another event's`);
      if (standing === "same" && isAgain) losses.count(`${kind} that stands twice in its event`);
      if (standing !== "same") written += `${xml}\n`;
    }
    return written;
  }

  function arrivalOf(arrival: QuakemlObject<"Arrival">): Members {
    const lose = (weight: string) => losses.count(`arrival.${weight}`);
    const { publicID, ...flagged } = withFlags(arrival, lose);
    return isServiceId(publicID) ? flagged : { ...flagged, publicID };
  }

  function writeOrigins(bulletin: Bulletin): string {
    const { magnitudes, stationMagnitudes } = magnitudesByOrigin(bulletin);
    if (bulletin.origin === undefined) {
      losses.count("magnitude", bulletin.magnitude?.length);
      losses.count("stationMagnitude", bulletin.stationMagnitude?.length);
    }
    return beside("origin", bulletin.origin, (origin) => {
      const { arrival } = origin;
      const object = { ...origin, ...(arrival && { arrival: arrival.map(arrivalOf) }) };
      const ofOrigin = [
        ...(stationMagnitudes.get(origin) ?? []).map((magnitude) =>
          one("stationMagnitude", "StationMagnitude", magnitude),
        ),
        ...(magnitudes.get(origin) ?? []).map((magnitude) =>
          one("magnitude", "Magnitude", magnitude),
        ),
      ];
      return one("origin", "Origin", object, ofOrigin.join(""));
    });
  }

  return (bulletin) => {
    const { focalMechanism, amplitude, pick, origin, foreign = [], ...event } = bulletin;
    const { magnitude: _, stationMagnitude: __, ...rest } = event;
    const readings = readingsOf(foreign);
    const others = foreign.filter((item) => !readings.has(item));
    const unconnected = unconnectedOf(bulletin);
    losses.count("pick that nothing of its event names", unconnected.picks);
    losses.count("amplitude that nothing of its event names", unconnected.amplitudes);
    const further =
      references("originReference", origin) + references("focalMechanismReference", focalMechanism);
    return (
      beside("pick", pick, (object) => one("pick", "Pick", object)) +
      beside("amplitude", amplitude, (object) => one("amplitude", "Amplitude", object)) +
      [...readings.values()].map((xml) => `${xml}\n`).join("") +
      writeOrigins(bulletin) +
      beside("focalMechanism", focalMechanism, (object) =>
        one("focalMechanism", "FocalMechanism", object),
      ) +
      `${one("event", "Event", { ...rest, foreign: others }, further)}\n`
    );
  };
}

/** Readings stand beside the events in SCML; in a bulletin they are foreign elements of the event. */
function readingsOf(foreign: readonly Foreign[]): ReadonlyMap<Foreign, string> {
  const readings = new Map<Foreign, string>();
  for (const item of foreign) {
    const xml = item.name === "reading" && isOwn(item) ? writeOwn(item, READING) : null;
    if (xml !== null) readings.set(item, xml);
  }
  return readings;
}

function references(name: string, objects: readonly { readonly publicID: string }[] = []): string {
  const ids = new Set(objects.map(({ publicID }) => publicID));
  return [...ids].map((id) => `<${name}>${xmlText(id)}</${name}>`).join("");
}

/**
 * The objects that stand beside the events of a file: events that share one share its only copy.
 * Remembers hashes alone.
 */
function createWrittenObjects() {
  const keys = createTextIndex();
  const contents = createTextIndex();
  return {
    /** How an object stands to those that are in the file: new, the same again, or another with its key. */
    add(key: string, xml: string): "new" | "same" | "other" {
      if (contents.numbersOf(xml).length > 0) return "same";
      contents.add(xml, 0);
      if (keys.numbersOf(key).length > 0) return "other";
      keys.add(key, 0);
      return "new";
    },
  };
}

/**
 * The picks and amplitudes of an event that no reader of SCML finds: in SCML they stand beside the
 * events, and belong to one through arrivals, station magnitudes and amplitudes.
 */
function unconnectedOf({ origin, stationMagnitude, amplitude = [], pick }: Bulletin) {
  const picks = new Set(origin?.flatMap(({ arrival = [] }) => arrival.map(({ pickID }) => pickID)));
  const named = new Set(stationMagnitude?.map(({ amplitudeID }) => amplitudeID));
  const others = amplitude.filter(({ publicID }) => !named.has(publicID));
  for (const { publicID, pickID } of amplitude) {
    if (pickID !== undefined && named.has(publicID)) picks.add(pickID);
  }
  return {
    picks: pick?.filter(({ publicID }) => !picks.has(publicID)).length ?? 0,
    amplitudes: others.filter(({ pickID }) => pickID === undefined || !picks.has(pickID)).length,
  };
}

/**
 * An event's magnitudes by the origins in which SCML has them. Those of no origin of the event stand in
 * the preferred one, with the id that they name, if they name one; without origins they have no place.
 */
function magnitudesByOrigin(bulletin: Bulletin) {
  const { origin = [], preferredOriginID, magnitude = [], stationMagnitude = [] } = bulletin;
  // Of several with an id, a reference means the first.
  const ids = new Map(origin.toReversed().map((one) => [one.publicID, one]));
  const home = ids.get(preferredOriginID ?? "") ?? origin[0];

  const grouped = <M extends { readonly originID?: string }>(list: readonly M[]) =>
    Map.groupBy(list, ({ originID = "" }) => ids.get(originID) ?? home);

  return { magnitudes: grouped(magnitude), stationMagnitudes: grouped(stationMagnitude) };
}

/** An object of a QuakeML type by its members. */
type Members = { readonly [member: string]: unknown; readonly foreign?: readonly Foreign[] };

/** Where the writing of an object stands. */
type Writing = {
  readonly object: Members;
  readonly isKilometres: boolean;
  /** Foreign elements and attributes that are not written yet. */
  readonly left: Set<Foreign>;
  readonly lose: (member: string, number?: number) => void;
};

/** What losses and messages call a type. */
const kindOf = (type: TypeName): string => type.slice(0, 1).toLowerCase() + type.slice(1);

/**
 * Returns the writer of objects. It gives null where an object lacks what SCML requires; what else
 * SCML has no place for is counted.
 */
function createObjectWriter(losses: Losses) {
  /**
   * @param name SCML's of the element
   * @param isKilometres its numbers are in kilometres
   * @param further elements for its end, as XML
   */
  function write(
    name: string,
    type: TypeName,
    object: Members,
    isKilometres = false,
    further = "",
  ): string | null {
    const kind = kindOf(type);
    const writing: Writing = {
      object,
      isKilometres,
      left: new Set(object.foreign),
      lose: (member, number) => losses.count(`${kind}.${member}`, number),
    };
    const { elements, without } = SCML_TYPES[type];
    const attributes = writeAttributes(type, writing);
    if (attributes === null) return null;
    let xml = "";
    for (const place of elements.values()) {
      const written = "own" in place ? writeOwnMember(place, writing) : writePlace(place, writing);
      if (written === null) return null;
      xml += written;
    }
    for (const member of without) writing.lose(member, sizeOf(object[member]));
    losses.count(`foreign elements and attributes of ${kind}`, writing.left.size);
    const content = xml + further;
    return content === ""
      ? `<${name}${attributes}/>`
      : `<${name}${attributes}>${content}</${name}>`;
  }

  /** The element of one or two members of QuakeML; of two, SCML holds one. */
  function writePlace(place: readonly SharedMember[], writing: Writing): string | null {
    const given = place.find(({ member }) => writing.object[member] !== undefined) ?? place[0];
    if (given === undefined) return "";
    for (const other of place) {
      if (other !== given) writing.lose(other.member, sizeOf(writing.object[other.member]));
    }
    const written = writeMember(given, writing);
    if (written !== "") return written;
    if (given.standIn !== undefined) return `<${given.name}>${given.standIn}</${given.name}>`;
    return given.isRequired ? null : "";
  }

  /** "" without a value that SCML takes. */
  function writeMember(shared: SharedMember, writing: Writing): string {
    const { member, name, field, isList } = shared;
    const value = writing.object[member];
    const word = furtherWord(shared, writing);
    if (word !== null) return `<${name}>${word}</${name}>`;
    if (value === undefined) return "";
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const taken = isList ? items : items.slice(0, 1);
    const written = taken.map((item) =>
      field.kind === "object"
        ? writeChild(shared, item as Members, writing)
        : writeSimple(shared, item, writing),
    );
    const kept = written.filter((xml) => xml !== null);
    writing.lose(member, items.length - kept.length);
    return kept.join("");
  }

  function writeChild(shared: SharedMember, object: Members, { lose }: Writing): string | null {
    const { name, member, field, isNumber, isKilometres } = shared;
    if (!isNumber) return write(name, field.type as TypeName, object, isKilometres);
    const { value, ...others } = object;
    lose(`${member}'s other members`, Object.keys(others).length);
    return value === undefined ? null : `<${name}>${value}</${name}>`;
  }

  return write;
}

function writeSimple(shared: SharedMember, value: unknown, writing: Writing): string | null {
  const { name, member, isKilometres } = shared;
  const inKilometres = isKilometres || (writing.isKilometres && OF_THE_UNIT.has(member));
  if (inKilometres) return `<${name}>${kilometresOf(value)}</${name}>`;
  const written = writeValue(shared, value);
  if (written === null) return null;
  if (written.isNear) writing.lose(`${member} (the nearest is written)`);
  return `<${name}>${written.text}</${name}>`;
}

function writeAttributes(type: TypeName, { object, left }: Writing): string | null {
  const { attributes, ownAttributes } = SCML_TYPES[type];
  let xml = "";
  for (const { name, member, isRequired } of attributes) {
    const value = object[member];
    if (value !== undefined) xml += ` ${name}="${xmlAttribute(String(value))}"`;
    else if (isRequired) return null;
  }
  for (const foreign of object.foreign ?? []) {
    const { ns, name, text = "", attribute, at } = foreign;
    if (attribute !== true || at !== undefined || !ownAttributes.includes(name)) continue;
    if ((ns !== "" && !isScmlNamespace(ns)) || !isWritten("boolean", text)) continue;
    left.delete(foreign);
    xml += ` ${name}="${text.trim()}"`;
  }
  return xml;
}

function writeOwnMember({ name, own, isList }: OwnMember, { object, left }: Writing): string {
  let xml = "";
  for (const foreign of object.foreign ?? []) {
    if (foreign.name !== name || !isOwn(foreign) || (xml !== "" && !isList)) continue;
    const written = writeOwn(foreign, own);
    if (written === null) continue;
    left.delete(foreign);
    xml += written;
  }
  return xml;
}

/** The word of SCML's own that stands for a value; null without one. */
function furtherWord({ name, member, words }: SharedMember, writing: Writing): string | null {
  const { further } = words;
  if (further === undefined || writing.object[member] !== undefined) return null;
  const found = writing.object.foreign?.find((foreign) => {
    const { text = "" } = foreign;
    if (foreign.name !== name || !isOwn(foreign)) return false;
    return further === "any" || further.includes(text);
  });
  if (found === undefined) return null;
  const written = writeOwn(found, "text");
  if (written === null) return null;
  writing.left.delete(found);
  return xmlText(found.text ?? "");
}

function sizeOf(value: unknown): number {
  if (value === undefined) return 0;
  return Array.isArray(value) ? value.length : 1;
}

/** A simple member's value as SCML has it, perhaps only by a word that comes near; null if SCML cannot. */
function writeValue({ field, words }: SharedMember, value: unknown) {
  const text = String(value);
  switch (field.kind) {
    case "time":
      return isWritten("time", text) ? { text } : null;
    case "enumeration": {
      const near = words.nearest?.[text];
      return near === undefined
        ? { text: words.words?.[text] ?? text }
        : { text: near, isNear: true };
    }
    case "real":
    case "integer":
    case "boolean":
      return { text };
    case "text":
    case "id":
    case "reference":
    case "resource":
      return { text: xmlText(text) };
    case "object":
      return null;
  }
}

type Losses = ReturnType<typeof createLosses>;

/** What could not be written, by what it is, in the order of the first of each. */
function createLosses() {
  const counts = new Map<string, number>();
  return {
    /** @param what one of few names, since each is remembered */
    count(what: string, number = 1): void {
      if (number > 0) counts.set(what, (counts.get(what) ?? 0) + number);
    },
    /** Sentence for people; "" without losses. */
    told: () => [...counts].map(([what, count]) => `${count} ${what}`).join(", "),
  };
}
