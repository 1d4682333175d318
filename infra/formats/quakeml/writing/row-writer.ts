import {
  compactEventId,
  EVENT_ID_PATH,
  OWN_AUTHORITY,
  SOURCE_ID_PATH,
} from "#contracts/seismic-event/ids.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { compareTimes } from "#contracts/seismic-event/time.ts";
import { exactJson } from "../../../json/json-text.ts";
import { FLINN_ENGDAHL, OWN_ELEMENT, OWN_NAMESPACE, OWN_PREFIX } from "../../bulletin/members.ts";
import { FACADE_FIELD, flinnEngdahlRegionOf, withPaddedTime } from "../../facade-row.ts";
import {
  type CitedCatalogue,
  EXPORT_FIELDS,
  type ExportedCatalogue,
  type ExportRow,
  FIELD,
  type FormatWriter,
  metadataText,
} from "../../format-writer.ts";
import { shiftDecimal } from "../../written-values.ts";
import {
  addMarkup,
  addQuantity,
  addSimple,
  addWrapped,
  escapeJson,
  escapeXml,
  isExpressible,
  markup,
  quantityOf,
  simple,
  type Tags,
  tagsOf,
  XmlBytes,
  xmlText,
} from "../../xml/xml.ts";
import { BED_1_2 } from "../own-forms.ts";
import { type ExtraXml, writeExtra, writeMechanism } from "./structures.ts";

const QUAKEML = "http://quakeml.org/xmlns/quakeml/1.2";

/**
 * A writer of QuakeML 1.2 BED, valid by its schema. Each row becomes an event with one origin, its
 * magnitude and its focal mechanisms; depth and uncertainties are in metres, preferred ids always
 * present. Data without a place in the schema go into an element of our own at the end of the event,
 * so that `createQuakemlReader` restores every attribute exactly.
 * @param contents what events hold beside themselves; by default nothing
 */
export function createQuakemlWriter(
  { catalogue, version, exportedAt }: ExportedCatalogue<CitedCatalogue>,
  contents?: QuakemlContents,
): FormatWriter {
  return {
    begin() {
      const name = isExpressible(catalogue.name) ? escapeXml(catalogue.name) : "";
      const described = metadataText(catalogue.metadata);
      return (
        `<?xml version="1.0" encoding="UTF-8"?>\n` +
        `<q:quakeml xmlns:q="${QUAKEML}" xmlns="${BED_1_2}" xmlns:${OWN_PREFIX}="${OWN_NAMESPACE}">\n` +
        `<eventParameters publicID="${OWN_AUTHORITY}catalogue/${catalogue.id}/${version}">\n` +
        `<description>${name}</description>` +
        (described && `<comment><text>${xmlText(described)}</text></comment>`) +
        `<creationInfo><creationTime>${exportedAt}</creationTime><version>${version}</version></creationInfo>\n`
      );
    },
    row: (row) => writeEvent(row, contents),
    end: () => "</eventParameters>\n</q:quakeml>\n",
  };
}

/** Clients take the last word of a public id for the event's id (seisplotjs, PyWEED). */
const ONE_WORD = /^\w+$/;

const EVENT: Tags = [markup(`<event publicID="${EVENT_ID_PATH}`), markup('">')];
const EVENT_BY_SOURCE: Tags = [markup(`<event publicID="${SOURCE_ID_PATH}`), markup('">')];
const END_OF_EVENT = markup("</event>\n");
const DESCRIPTION = markup("<description><text>");
const TYPE_OF_DESCRIPTION: Tags = [markup("</text><type>"), markup("</type></description>")];
const HYPHEN = 0x2d;

/** Before the id of an event, whose solutions are these. */
const ORIGIN_ID_PATH = `${OWN_AUTHORITY}origin/`;

const PREFERRED_ORIGIN = tagsOf("preferredOriginID", ORIGIN_ID_PATH);

const MAGNITUDE_ID_PATH = `${OWN_AUTHORITY}magnitude/`;

const PREFERRED_MAGNITUDE = tagsOf("preferredMagnitudeID", MAGNITUDE_ID_PATH);
const TYPE = tagsOf("type");
const TYPE_CERTAINTY = tagsOf("typeCertainty");

/** What an event element holds beside the event as it is stored. */
type QuakemlContents = MemberParts & {
  /** The Flinn-Engdahl region of an event without a region, as a description. */
  readonly regions: boolean;
};

const AS_STORED: QuakemlContents = { allOrigins: false, allMagnitudes: false, regions: false };

/** For one event after the other. */
const out = new XmlBytes();
const idBytes = new Uint8Array(32);

/** `compactEventId` in bytes, until the next event. */
function bytesOfId(id: string): Uint8Array {
  let end = 0;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    if (code !== HYPHEN) idBytes[end++] = code;
  }
  return end === idBytes.length ? idBytes : idBytes.slice(0, end);
}

/** A row as an event element, followed by a line break. */
function writeEvent(row: ExportRow, contents: QuakemlContents = AS_STORED): string {
  const id = bytesOfId(row[FIELD.id] ?? "");
  const horizontal = row[FIELD.horizontal_uncertainty] ?? null;
  const isSized = hasMagnitude(row);
  const extra = writeExtra(row[FIELD.extra] ?? null, horizontal, isSized);
  const members = writeMembers(row, id, contents);
  const sourceId = row[FIELD.source_id] ?? null;
  const output: OwnOutput = { own: "" };
  // What the head leaves for our own element follows there on what the solutions leave.
  const ofHead: OwnOutput = { own: "" };
  const mechanisms = writeMechanisms(row, ofHead);
  // What an error has left.
  out.cutTo(0);
  if (sourceId !== null && isWord(sourceId)) addSimple(out, EVENT_BY_SOURCE, sourceId);
  else addMarkup(out, EVENT, id);
  addMarkup(out, PREFERRED_ORIGIN, id);
  if (isSized) addMarkup(out, PREFERRED_MAGNITUDE, id);
  out.text(mechanisms.preferred);
  addHead(out, row, contents, ofHead);
  addOrigin(out, row, id, extra, output);
  out.text(members.origins);
  addMagnitude(out, row, { id, originId: id }, extra, output);
  out.text(members.magnitudes);
  out.text(mechanisms.xml);
  addOwn(output, ofHead.own);
  if (!isWord(sourceId)) own(output, "source_id", JSON.stringify(sourceId));
  own(output, "extra", extra.rest);
  own(output, "source_events", row[FIELD.source_events]);
  out.text(ownElement(output));
  out.markup(END_OF_EVENT);
  return out.take();
}

/** Whether it is the last word of the public id; so is none. */
function isWord(sourceId: string | null): boolean {
  return sourceId === null || ONE_WORD.test(sourceId);
}

/** The public id that clients see of an event, from which they cut its id. */
export function clientPublicId(row: ExportRow): string {
  const sourceId = row[FIELD.source_id] ?? null;
  return sourceId !== null && isWord(sourceId)
    ? SOURCE_ID_PATH + sourceId
    : EVENT_ID_PATH + compactEventId(row[FIELD.id] ?? "");
}

function addHead(out: XmlBytes, row: ExportRow, { regions }: QuakemlContents, output: OwnOutput) {
  const region = nativeText(row, "region", output);
  addSimple(out, TYPE, row[FIELD.event_type]);
  addSimple(out, TYPE_CERTAINTY, row[FIELD.event_type_certainty]);
  if (region !== "") addDescription(out, region, "region name");
  else if (regions) addDescription(out, flinnEngdahlRegionOf(row), FLINN_ENGDAHL);
}

function addDescription(out: XmlBytes, text: string, type: string): void {
  out.markup(DESCRIPTION);
  out.text(text);
  addSimple(out, TYPE_OF_DESCRIPTION, type);
}

function writeMechanisms(row: ExportRow, output: OwnOutput) {
  const json = row[FIELD.focal_mechanisms] ?? null;
  if (json === null) return { xml: "", preferred: "" };
  const id = compactEventId(row[FIELD.id] ?? "");
  const list = JSON.parse(json) as Readonly<Record<string, unknown>>[];
  let xml = "";
  let exact = true;
  for (const [index, mechanism] of list.entries()) {
    const mechanismId = `${OWN_AUTHORITY}mechanism/${id}/${index + 1}`;
    const element = writeMechanism(mechanism, {
      mechanism: mechanismId,
      tensor: `${mechanismId}/tensor`,
      origin: ORIGIN_ID_PATH + id,
    });
    xml += element.xml;
    exact &&= element.exact;
  }
  if (!exact) own(output, "focal_mechanisms", json);
  const first = /publicID="([^"]*)"/.exec(xml)?.[1];
  return { xml, preferred: simple("preferredFocalMechanismID", first) };
}

const KILOMETRES_TO_METRES = 3;

const ORIGIN: Tags = [markup(`<origin publicID="${ORIGIN_ID_PATH}`), markup('">')];
const END_OF_ORIGIN = markup("</origin>");
const TIME = quantityOf("time");
const LATITUDE = quantityOf("latitude");
const LONGITUDE = quantityOf("longitude");
const DEPTH = quantityOf("depth");
const DEPTH_TYPE = tagsOf("depthType");
const QUALITY = tagsOf("quality");
const USED_PHASE_COUNT = tagsOf("usedPhaseCount");
const USED_STATION_COUNT = tagsOf("usedStationCount");
const STANDARD_ERROR = tagsOf("standardError");
const AZIMUTHAL_GAP = tagsOf("azimuthalGap");
const MINIMUM_DISTANCE = tagsOf("minimumDistance");
const EVALUATION_MODE = tagsOf("evaluationMode");
const EVALUATION_STATUS = tagsOf("evaluationStatus");
const CREATION_INFO = tagsOf("creationInfo");
const AGENCY = tagsOf("agencyID");
const AUTHOR = tagsOf("author");
const CIRCLE: Tags = [
  markup("<originUncertainty><horizontalUncertainty>"),
  markup(
    "</horizontalUncertainty><preferredDescription>horizontal uncertainty</preferredDescription></originUncertainty>",
  ),
];
const MAGNITUDE: Tags = [markup(`<magnitude publicID="${MAGNITUDE_ID_PATH}`), markup('">')];
const END_OF_MAGNITUDE = markup("</magnitude>");
const MAG = quantityOf("mag");
const ORIGIN_ID = tagsOf("originID", ORIGIN_ID_PATH);
const STATION_COUNT = tagsOf("stationCount");

/**
 * Adds the origin of an event; what has no place in it is added to `output`.
 * @param id of the event, 32 digits
 */
function addOrigin(
  out: XmlBytes,
  row: ExportRow,
  id: Uint8Array,
  extra: ExtraXml,
  output: OwnOutput,
): void {
  const agency = nativeText(row, "agency_id", output);
  const author = nativeText(row, "author", output);
  addMarkup(out, ORIGIN, id);
  addQuantity(out, TIME, row[FIELD.time], row[FIELD.time_uncertainty]);
  addQuantity(out, LATITUDE, row[FIELD.latitude], row[FIELD.latitude_uncertainty]);
  addQuantity(out, LONGITUDE, row[FIELD.longitude], row[FIELD.longitude_uncertainty]);
  addDepth(out, row, output);
  addSimple(out, DEPTH_TYPE, row[FIELD.depth_type]);
  out.text(extra.origin);
  addWrapped(out, QUALITY, () => addQuality(out, row));
  if (extra.uncertainty === "") addSimple(out, CIRCLE, metres(row[FIELD.horizontal_uncertainty]));
  else out.text(extra.uncertainty);
  addSimple(out, EVALUATION_MODE, row[FIELD.evaluation_mode]);
  addSimple(out, EVALUATION_STATUS, row[FIELD.evaluation_status]);
  addWrapped(out, CREATION_INFO, () => {
    addSimple(out, AGENCY, agency || null);
    addSimple(out, AUTHOR, author || null);
  });
  out.markup(END_OF_ORIGIN);
}

/** Readers expect no uncertainty without a depth: it goes into our own element. */
function addDepth(out: XmlBytes, row: ExportRow, output: OwnOutput): void {
  const depth = metres(row[FIELD.depth]);
  if (depth !== null) addQuantity(out, DEPTH, depth, metres(row[FIELD.depth_uncertainty]));
  else own(output, "depth_uncertainty", row[FIELD.depth_uncertainty]);
}

function addQuality(out: XmlBytes, row: ExportRow): void {
  addSimple(out, USED_PHASE_COUNT, row[FIELD.used_phase_count]);
  addSimple(out, USED_STATION_COUNT, row[FIELD.used_station_count]);
  addSimple(out, STANDARD_ERROR, row[FIELD.standard_error]);
  addSimple(out, AZIMUTHAL_GAP, row[FIELD.azimuthal_gap]);
  addSimple(out, MINIMUM_DISTANCE, row[FIELD.minimum_distance]);
}

function hasMagnitude(row: ExportRow): boolean {
  return (row[FIELD.magnitude] ?? null) !== null;
}

/**
 * Adds the magnitude of an event, nothing without one; what has no place in it is added to `output`.
 * @param originId the id of the event whose origin it is of; null for an origin that is not written
 */
function addMagnitude(
  out: XmlBytes,
  row: ExportRow,
  { id, originId }: { readonly id: Uint8Array; readonly originId: Uint8Array | null },
  extra: ExtraXml,
  output: OwnOutput,
): void {
  if (!hasMagnitude(row)) {
    const type = row[FIELD.magnitude_type] ?? null;
    own(output, "magnitude_type", type === null ? null : JSON.stringify(type));
    own(output, "magnitude_uncertainty", row[FIELD.magnitude_uncertainty]);
    own(output, "magnitude_station_count", row[FIELD.magnitude_station_count]);
    return;
  }
  const type = nativeText(row, "magnitude_type", output);
  addMarkup(out, MAGNITUDE, id);
  addQuantity(out, MAG, row[FIELD.magnitude], row[FIELD.magnitude_uncertainty]);
  addSimple(out, TYPE, type || null);
  if (originId !== null) addMarkup(out, ORIGIN_ID, originId);
  addSimple(out, STATION_COUNT, row[FIELD.magnitude_station_count]);
  out.text(extra.magnitude);
  out.markup(END_OF_MAGNITUDE);
}

function metres(kilometres: string | null | undefined): string | null {
  return kilometres === null || kilometres === undefined
    ? null
    : shiftDecimal(kilometres, KILOMETRES_TO_METRES);
}

/** Which solutions of a merged event's members stand beside its own. */
type MemberParts = { readonly allOrigins: boolean; readonly allMagnitudes: boolean };

type Member = Omit<SeismicEvent, "source_events">;

/**
 * The origins and magnitudes of the members of a merged event (`members` of its row). What the event has
 * from a member unchanged is not repeated.
 * @param eventId of the event itself, 32 digits
 */
function writeMembers(row: ExportRow, eventId: Uint8Array, parts: MemberParts) {
  const json = row[FACADE_FIELD.members] ?? null;
  if (json === null || !(parts.allOrigins || parts.allMagnitudes)) {
    return { origins: "", magnitudes: "" };
  }
  const origins = new XmlBytes();
  const magnitudes = new XmlBytes();
  for (const member of JSON.parse(json) as Member[]) {
    const solution = withPaddedTime(rowOf(member));
    const id = markup(compactEventId(member.id));
    const isOwnOrigin = isOriginOf(row, member);
    const extra = solution[FIELD.extra] ?? null;
    const radius = solution[FIELD.horizontal_uncertainty] ?? null;
    const extraXml = writeExtra(extra, radius, member.magnitude !== null);
    // Only the event itself has an element for what QuakeML cannot say.
    const unsaid = { own: "" };
    if (parts.allOrigins && !isOwnOrigin) {
      addOrigin(origins, solution, id, extraXml, unsaid);
    }
    if (parts.allMagnitudes && !isMagnitudeOf(row, member)) {
      const isThere = isOwnOrigin || parts.allOrigins;
      const originId = isThere ? (isOwnOrigin ? eventId : id) : null;
      addMagnitude(magnitudes, solution, { id, originId }, extraXml, unsaid);
    }
  }
  return { origins: origins.take(), magnitudes: magnitudes.take() };
}

function isOriginOf(row: ExportRow, member: Member): boolean {
  return (
    compareTimes(row[FIELD.time] ?? "", member.time) === 0 &&
    isNumber(row[FIELD.latitude], member.latitude) &&
    isNumber(row[FIELD.longitude], member.longitude) &&
    isNumber(row[FIELD.depth], member.depth)
  );
}

function isMagnitudeOf(row: ExportRow, member: Member): boolean {
  return (
    isNumber(row[FIELD.magnitude], member.magnitude) &&
    (row[FIELD.magnitude_type] ?? null) === member.magnitude_type
  );
}

function isNumber(text: string | null | undefined, value: number | null): boolean {
  return value === null || (text ?? null) === null
    ? value === (text ?? null)
    : Number(text) === value;
}

function rowOf(member: Member): ExportRow {
  return EXPORT_FIELDS.map((name) => {
    const value = name === "source_events" ? null : member[name];
    if (value === null || value === undefined) return null;
    return typeof value === "object" ? exactJson(value) : String(value);
  });
}

/** Members for our own element, as JSON text. */
type OwnOutput = { own: string };

/** Escaped text, "" for none. Text that would not be restored goes into our own element too. */
function nativeText(
  row: ExportRow,
  name: "region" | "magnitude_type" | "agency_id" | "author",
  output: OwnOutput,
): string {
  const text = row[FIELD[name]] ?? "";
  if (text === "") return "";
  const expressible = isExpressible(text);
  const trimmed = text.trim();
  if (!expressible || trimmed !== text) own(output, name, JSON.stringify(text));
  return expressible ? escapeXml(trimmed) : "";
}

/** Adds an attribute's name and its value as JSON text. */
function own(output: OwnOutput, name: string, json: string | null | undefined): void {
  if (json === null || json === undefined) return;
  addOwn(output, `"${name}":${json}`);
}

/** Adds members, which may be none. */
function addOwn(output: OwnOutput, members: string): void {
  if (output.own !== "" && members !== "") output.own += ",";
  output.own += members;
}

/** The element of all that was added; "" without any. */
function ownElement({ own: members }: OwnOutput): string {
  if (members === "") return "";
  const name = `${OWN_PREFIX}:${OWN_ELEMENT}`;
  return `<${name}>{${escapeJson(members)}}</${name}>`;
}
