import { isDeepStrictEqual } from "node:util";
import { ownAttributesOf, withOwnAttributes } from "#contracts/bulletin/own-members.ts";
import {
  type Bulletin,
  type Field,
  type Foreign,
  type ForeignAttribute,
  type Kind,
  MAX_FOREIGN_DEPTH,
  QUAKEML_TYPES,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { compactEventId, EVENT_ID_PATH } from "#contracts/seismic-event/ids.ts";
import { isJsonObject, type JsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { exactJson } from "../../../json/json-text.ts";
import {
  idsOfEvent,
  OWN_ELEMENT,
  OWN_NAMESPACE,
  OWN_PREFIX,
  serviceId,
} from "../../bulletin/members.ts";
import { rowOfBulletin } from "../../bulletin/row.ts";
import {
  type CitedCatalogue,
  type ExportedCatalogue,
  type ExportRow,
  FIELD,
  type FormatWriter,
} from "../../format-writer.ts";
import {
  isWritable,
  writableAttribute,
  writableText,
  xmlAttributeText,
  xmlElementText,
} from "../../xml/xml.ts";
import { walkReferences } from "../object-builder.ts";
import { BED_1_2, OWN_FORMS, standInPlace } from "../own-forms.ts";
import type { OpenObject } from "../type-plans.ts";
import { createQuakemlWriter } from "./row-writer.ts";

/**
 * A writer of QuakeML 1.2 BED with whole events: those with a bulletin as it is, others as
 * `createQuakemlWriter` writes their rows. Of the form `valid` documents are valid by the schema, and our
 * reader restores both forms.
 */
export function createWholeQuakemlWriter(
  exported: ExportedCatalogue<CitedCatalogue>,
  form: WriteOptions["form"],
): FormatWriter {
  const rows = createQuakemlWriter(exported);
  return {
    ...rows,
    row(row, bulletin = null) {
      if (bulletin === null) return rows.row(row);
      const eventId = compactEventId(row[FIELD.id] ?? "");
      return writeBulletin(withAttributesOfRow(bulletin, row), { form, eventId });
    },
  };
}

/** The bulletin with what only the row says: of `extra` more than the bulletin, its sources, and another id. */
function withAttributesOfRow(bulletin: Bulletin, row: ExportRow): Bulletin {
  const own: JsonObject = {};
  const sources = row[FIELD.source_events] ?? null;
  if (sources !== null) own["source_events"] = JSON.parse(sources);
  const sourceId = row[FIELD.source_id] ?? null;
  if (sourceId !== null && sourceId !== idsOfEvent(bulletin).sourceId) {
    own["source_id"] = sourceId;
  }
  const extra = row[FIELD.extra] ?? null;
  if (extra !== null) {
    const view = rowOfBulletin(bulletin, () => {});
    const values = JSON.parse(extra);
    const shown = isJsonObject(view) ? (view["extra"] ?? {}) : {};
    if (!isDeepStrictEqual(shown, values)) own["extra"] = values;
  }
  if (Object.keys(own).length === 0) return bulletin;
  return withOwnAttributes(bulletin, { ...ownAttributesOf(bulletin), ...own });
}

/** How a member of a type is written. */
type WriteMember = {
  readonly name: string;
  readonly kind: Field["kind"];
  readonly many: boolean;
  readonly to: Kind | null;
  /** Of a member that is an object. */
  readonly type: WritePlan | null;
  /** What begins its start tag, or of an attribute what stands before its value. */
  readonly start: string;
  /** Start tag without attributes, and end tag. */
  readonly open: string;
  readonly close: string;
  /** Its element may have attributes of other namespaces (the schema's type Phase). */
  readonly takesAttributes: boolean;
};

type WritePlan = {
  readonly hasId: boolean;
  readonly attributes: readonly WriteMember[];
  readonly elements: readonly WriteMember[];
  readonly text: WriteMember | null;
  readonly own: WriteMember | null;
};

const PHASES: ReadonlySet<string> = new Set(["phase", "phaseHint"]);

const plans = new Map<TypeName, WritePlan>();

const EVENT_PLAN = planOf("Event");

/** A type's plan, made once: no type holds itself. */
function planOf(name: TypeName): WritePlan {
  const known = plans.get(name);
  if (known !== undefined) return known;
  const members = Object.entries<Field>(QUAKEML_TYPES[name]).map(
    ([member, { kind, many = false, to = null, type, xml }]) => ({
      xml,
      plan: {
        name: member,
        kind,
        many: many as boolean,
        to,
        type: type === undefined ? null : planOf(type as TypeName),
        start: xml === "attribute" ? ` ${member}="` : `<${member}`,
        open: `<${member}>`,
        close: `</${member}>`,
        takesAttributes: PHASES.has(member),
      },
    }),
  );
  const at = (place: Field["xml"]) =>
    members.flatMap(({ xml, plan }) => (xml === place ? [plan] : []));
  const plan: WritePlan = {
    hasId: "publicID" in QUAKEML_TYPES[name],
    attributes: at("attribute"),
    elements: at(undefined),
    text: at("text")[0] ?? null,
    own: at("own")[0] ?? null,
  };
  plans.set(name, plan);
  return plan;
}

/** What the schema refuses of one object. */
type Refused = { members: Record<string, unknown> | null; foreign: Foreign[] | null };

function refuseMember(refused: Refused, name: string, value: unknown): void {
  refused.members ??= {};
  refused.members[name] = value;
}

function refuseForeign(refused: Refused, item: Foreign): void {
  refused.foreign ??= [];
  refused.foreign.push(item);
}

const GIVEN = `${OWN_PREFIX}:${OWN_FORMS.given}`;

/** What the schema refuses, as elements: simple things by name and text, others as JSON. */
function givenElements({ members, foreign }: Refused): string {
  let xml = "";
  for (const [name, value] of Object.entries(members ?? {})) {
    const text = String(value);
    xml += isWritable(text)
      ? `<${GIVEN} member="${name}">${xmlElementText(text)}</${GIVEN}>`
      : givenJson({ members: { [name]: value }, foreign: null });
  }
  for (const item of foreign ?? []) {
    const { ns, name, text = "", attribute, attributes, children } = item;
    const isSimple = ns === BED_1_2 && !attribute && !attributes && !children;
    xml +=
      isSimple && isWritable(text) && isWritable(name)
        ? `<${GIVEN} name="${xmlAttributeText(name)}">${xmlElementText(text)}</${GIVEN}>`
        : givenJson({ members: null, foreign: [item] });
  }
  return xml;
}

function givenJson(refused: Refused): string {
  return `<${GIVEN}>${xmlElementText(jsonOf(refused))}</${GIVEN}>`;
}

/** In ASCII, since XML has no place for some characters. */
function jsonOf({ members, foreign }: Refused): string {
  const json = exactJson({ ...members, ...(foreign !== null && { foreign }) });
  return json.replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

type WriteOptions = {
  /** `valid`: by the schema, what it refuses in forms of our own. `given`: ids and values as they came. */
  readonly form: "valid" | "given";
  /** The event's own id, for one whose given id the schema refuses. */
  readonly eventId?: string;
  /** Another public id for the event than its own. */
  readonly publicID?: string;
};

type Json = { readonly [member: string]: unknown };

/** What is written of one event. */
type Writing = {
  readonly isGiven: boolean;
  readonly prefixes: Prefixes;
  readonly standIns: StandIns;
};

const NONE: readonly Foreign[] = [];

/**
 * An event as XML, for a document whose default namespace is QuakeML 1.2's and that declares ours. Members
 * stand in the order of the table, foreign elements last.
 */
export function writeBulletin(bulletin: Bulletin, options: WriteOptions): string {
  const isGiven = options.form === "given";
  const writing: Writing = {
    isGiven,
    prefixes: createPrefixes(),
    standIns: isGiven ? NO_STAND_INS : standInsOf(bulletin),
  };
  const { publicID = bulletin.publicID } = options;
  const isRefused = !isGiven && !isSchemaId(publicID);
  const id = isRefused ? standInOfEvent(publicID, options.eventId) : publicID;
  const given = isRefused ? givenId(publicID) : "";
  const { attributes, body } = contentOf(writing, EVENT_PLAN, bulletin);
  const start = `<event publicID="${xmlAttributeText(id)}"${given}${attributes}`;
  return `${start}${writing.prefixes.declarations()}>${body}</event>\n`;
}

function standInOfEvent(publicID: string, eventId: string | undefined): string {
  if (eventId !== undefined) return EVENT_ID_PATH + eventId;
  return serviceId(publicID, "event", standInPlace(0));
}

function writeObject(writing: Writing, member: WriteMember, object: Json): string {
  const plan = member.type as WritePlan;
  const { attributes, body } = contentOf(writing, plan, object);
  const id = plan.hasId ? idAttribute(writing, object, object["publicID"] as string) : "";
  const start = `${member.start}${id}${attributes}`;
  return body === "" ? `${start}/>` : `${start}>${body}${member.close}`;
}

function idAttribute({ standIns }: Writing, object: Json, id: string): string {
  const standIn = standIns.ofObject(object);
  if (standIn === undefined) return ` publicID="${xmlAttributeText(id)}"`;
  return ` publicID="${standIn}"${givenId(id)}`;
}

function givenId(id: string): string {
  return ` ${OWN_PREFIX}:${OWN_FORMS.givenId}="${xmlAttributeText(id)}"`;
}

/** Attributes but the public id, and children. */
function contentOf(writing: Writing, plan: WritePlan, object: Json) {
  const refused: Refused = { members: null, foreign: null };
  const foreign = (object["foreign"] as readonly Foreign[] | undefined) ?? NONE;
  let attributes =
    plan.attributes.length === 0 ? "" : attributesOf(writing, plan, object, refused, foreign);
  let body = "";
  for (const member of plan.elements) {
    const value = object[member.name];
    if (value === undefined) continue;
    if (!member.many) body += memberXml(writing, member, value, refused, foreign);
    else for (const item of value as readonly Json[]) body += writeObject(writing, member, item);
  }
  if (plan.own !== null && object[plan.own.name] !== undefined) {
    const places = (object[plan.own.name] as readonly number[]).join(" ");
    attributes += ` ${OWN_PREFIX}:${OWN_FORMS.member}="${places}"`;
  }
  if (plan.text !== null) body += textOf(writing, plan.text, object, refused);
  if (foreign.length > 0) {
    const parts = foreignParts(writing, plan, object, refused, foreign);
    attributes += parts.attributes;
    body += parts.body;
  }
  if (refused.members !== null || refused.foreign !== null) {
    if (plan.text === null) body += givenElements(refused);
    else attributes += ` ${OWN_PREFIX}:${OWN_FORMS.given}="${xmlAttributeText(jsonOf(refused))}"`;
  }
  return { attributes, body };
}

function attributesOf(
  writing: Writing,
  plan: WritePlan,
  object: Json,
  refused: Refused,
  foreign: readonly Foreign[],
): string {
  let attributes = "";
  for (const { name, kind, start } of plan.attributes) {
    const value = object[name];
    if (value === undefined || kind === "id") continue;
    // A value that is too long stands in the attribute's place.
    if (writing.isGiven && value === "" && foreign.some((item) => isAttribute(item, name)))
      continue;
    const text = String(value);
    const isFit = kind !== "resource" || writing.isGiven || isSchemaId(text);
    const written = isFit ? writableAttribute(text) : null;
    if (written === null) refuseMember(refused, name, value);
    if (written !== null || kind === "text") attributes += `${start}${written ?? ""}"`;
  }
  return attributes;
}

function isAttribute(item: Foreign, name: string): boolean {
  return item.attribute === true && item.at === undefined && item.ns === "" && item.name === name;
}

function textOf({ isGiven }: Writing, member: WriteMember, object: Json, refused: Refused): string {
  const value = object[member.name];
  if (typeof value !== "string") return "";
  if (isWritable(value) && (isGiven || isSchemaId(value))) return xmlElementText(value);
  refuseMember(refused, member.name, value);
  return "";
}

function memberXml(
  writing: Writing,
  member: WriteMember,
  value: unknown,
  refused: Refused,
  foreign: readonly Foreign[],
): string {
  if (typeof value === "number" && foreign.length === 0) {
    return `${member.open}${value}${member.close}`;
  }
  if (member.type !== null) return writeObject(writing, member, value as Json);
  if (typeof value !== "string") return leafXml(writing, member, String(value), foreign);
  const text = leafText(writing, member, value);
  if (text === null) {
    if (value !== "" || member.kind === "text") refuseMember(refused, member.name, value);
    return "";
  }
  if (foreign.length === 0) return `${member.open}${text}${member.close}`;
  return leafXml(writing, member, text, foreign);
}

/** The text of a simple member, null where it has to be said in another way. */
function leafText(
  { isGiven, standIns }: Writing,
  member: WriteMember,
  value: string,
): string | null {
  switch (member.kind) {
    case "enumeration":
      return value;
    case "time":
      if (isSchemaTime(value)) return value;
      return isGiven ? writableText(value) : null;
    case "reference": {
      const standIn = member.to === null ? undefined : standIns.ofId(member.to, value);
      if (standIn !== undefined) return standIn;
      return isIdText(isGiven, value) ? xmlElementText(value) : null;
    }
    case "resource":
      return isIdText(isGiven, value) ? xmlElementText(value) : null;
    default:
      return writableText(value);
  }
}

/** An empty reference is a missing one. */
function isIdText(isGiven: boolean, value: string): boolean {
  return isGiven ? value !== "" && isWritable(value) : isSchemaId(value);
}

/** A simple member with the attributes that stand on it. */
function leafXml(
  writing: Writing,
  member: WriteMember,
  text: string,
  foreign: readonly Foreign[],
): string {
  const { name, close } = member;
  const attributes = foreign
    .filter((item) => item.at === name && isPlaceableOn(writing, item, member))
    .map((item) => attributeXml({ ...item, text: item.text ?? "" }, writing.prefixes))
    .join("");
  return `<${name}${attributes}>${text}${close}`;
}

/** @param member on which the attribute stands, if not on the object */
function isPlaceableOn(
  { isGiven }: Writing,
  { ns, name, text = "" }: Foreign,
  member?: WriteMember,
): boolean {
  if (!isPlaceableAttribute({ ns, name, text })) return false;
  return isGiven || (member?.takesAttributes !== false && ns !== "" && ns !== BED_1_2);
}

function foreignParts(
  writing: Writing,
  plan: WritePlan,
  object: Json,
  refused: Refused,
  foreign: readonly Foreign[],
) {
  const names = new Set<string>();
  let attributes = "";
  let body = "";
  for (const item of foreign) {
    if (item.at !== undefined) {
      const member = plan.elements.find(({ name }) => name === item.at);
      const isSaid = member?.type === null && object[item.at] !== undefined;
      if (!isSaid || !isPlaceableOn(writing, item, member)) refuseForeign(refused, item);
    } else if (item.attribute === true) {
      const key = `${item.ns} ${item.name}`;
      if (names.has(key) || !isPlaceableOn(writing, item)) refuseForeign(refused, item);
      else attributes += attributeXml({ ...item, text: item.text ?? "" }, writing.prefixes);
      names.add(key);
    } else if (plan.text === null && isPlaceable(item, writing.isGiven)) {
      body += foreignXml(item, writing.prefixes);
    } else refuseForeign(refused, item);
  }
  return { attributes, body };
}

/** Ids of the service for objects whose own ids the schema refuses. */
type StandIns = {
  readonly ofObject: (object: object) => string | undefined;
  /** For references: of several objects of a kind with one id, the first's. */
  readonly ofId: (kind: Kind, id: string) => string | undefined;
};

const NO_STAND_INS: StandIns = { ofObject: () => undefined, ofId: () => undefined };

function standInsOf(bulletin: Bulletin): StandIns {
  const ofObject = new Map<object, string>();
  const ofId = new Map<string, string>();
  const counts = new Map<Kind, number>();
  walkReferences(bulletin as OpenObject, {
    object(kind, object) {
      const place = counts.get(kind) ?? 0;
      counts.set(kind, place + 1);
      const id = object["publicID"] as string;
      if (isSchemaId(id)) return;
      const standIn = serviceId(bulletin.publicID, kind, standInPlace(place));
      ofObject.set(object, standIn);
      const key = `${kind} ${id}`;
      if (!ofId.has(key)) ofId.set(key, standIn);
    },
  });
  if (ofObject.size === 0) return NO_STAND_INS;
  return {
    ofObject: (object) => ofObject.get(object),
    ofId: (kind, id) => ofId.get(`${kind} ${id}`),
  };
}

/** Foreign elements as XML, and what QuakeML's schema takes for an id, a time or a name. */

/** Prefixes of the namespaces in one event, which its start tag declares. */
type Prefixes = ReturnType<typeof createPrefixes>;

function createPrefixes() {
  const prefixes = new Map<string, string>([[OWN_NAMESPACE, OWN_PREFIX]]);
  return {
    of(ns: string): string {
      let prefix = prefixes.get(ns);
      if (prefix === undefined) {
        prefix = `n${prefixes.size}`;
        prefixes.set(ns, prefix);
      }
      return prefix;
    },
    /** Declarations of all but our own, which the document declares. */
    declarations(): string {
      let text = "";
      for (const [ns, prefix] of prefixes) {
        if (ns !== OWN_NAMESPACE) text += ` xmlns:${prefix}="${xmlAttributeText(ns)}"`;
      }
      return text;
    },
  };
}

const OWN_NAMES: ReadonlySet<string> = new Set([...Object.values(OWN_FORMS)]);

/** Whether XML can say a foreign element where it stands, so that it is read again as it is. */
function isPlaceable(item: Foreign, isGiven: boolean, depth = 1): boolean {
  const { ns, name, text = "", attributes = [], children = [] } = item;
  if (depth === 1 && !isGiven && (ns === BED_1_2 || ns === "")) return false;
  if (depth === 1 && ns === OWN_NAMESPACE && OWN_NAMES.has(name)) return false;
  if (ns !== OWN_NAMESPACE && name === OWN_ELEMENT) return false;
  return (
    depth <= MAX_FOREIGN_DEPTH &&
    isXmlName(name) &&
    isWritable(ns) &&
    isWritable(text) &&
    hasDistinctNames(attributes) &&
    attributes.every(isPlaceableAttribute) &&
    children.every((child) => isPlaceable(child, isGiven, depth + 1))
  );
}

function isPlaceableAttribute({ ns = "", name, text }: ForeignAttribute): boolean {
  return isXmlName(name) && isWritable(ns) && isWritable(text);
}

function hasDistinctNames(attributes: readonly ForeignAttribute[]): boolean {
  const names = attributes.map(({ ns = "", name }) => `${ns} ${name}`);
  return new Set(names).size === names.length;
}

function foreignXml(item: Foreign, prefixes: Prefixes, around = BED_1_2): string {
  const { ns, name, text = "", attributes = [], children = [] } = item;
  const isBare = ns === "" || ns === BED_1_2;
  const tag = isBare ? name : `${prefixes.of(ns)}:${name}`;
  const declaration = isBare && ns !== around ? ` xmlns="${ns}"` : "";
  const inside = isBare ? ns : around;
  const body =
    xmlElementText(text) + children.map((child) => foreignXml(child, prefixes, inside)).join("");
  const start = `<${tag}${declaration}${attributes.map((a) => attributeXml(a, prefixes)).join("")}`;
  return body === "" ? `${start}/>` : `${start}>${body}</${tag}>`;
}

function attributeXml({ ns = "", name, text }: ForeignAttribute, prefixes: Prefixes): string {
  return ` ${ns === "" ? name : `${prefixes.of(ns)}:${name}`}="${xmlAttributeText(text)}"`;
}

/** ResourceIdentifier of QuakeML 1.2 BED in ASCII; as a URI it has at most one `#`. */
const RESOURCE_ID =
  /^(?:smi|quakeml):[A-Za-z0-9_][\w.*()~'-]{2,}\/(?:[\w.*()~'-][\w.*()+?~'=,;/&-]*)(?:#[\w.*()+?~'=,;/&-]*)?$/;

/** xs:dateTime; the day of the month is looked at apart. */
const DATE_TIME =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)?$/;

/** Days that all months have. */
const SURE_DAYS = 28;

function isSchemaId(text: string): boolean {
  return RESOURCE_ID.test(text);
}

function isSchemaTime(text: string): boolean {
  if (!DATE_TIME.test(text)) return false;
  const day = Number(text.slice(8, 10));
  if (day <= SURE_DAYS) return true;
  const year = 2000 + (Number(text.slice(0, 4)) % 400);
  return day <= new Date(Date.UTC(year, Number(text.slice(5, 7)), 0)).getUTCDate();
}

/** A name without a prefix that any reader takes. */
function isXmlName(name: string): boolean {
  return /^[A-Za-z_][\w.-]*$/.test(name) && !/^xml/i.test(name);
}
