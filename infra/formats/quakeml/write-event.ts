import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import {
  EVENT_ID_PATH,
  OWN_AUTHORITY,
  SOURCE_ID_PATH,
} from "#contracts/seismic-event/own-public-id.ts";
import { flinnEngdahlRegionOf } from "../facade-event.ts";
import { type ExportRow, FIELD } from "../format-writer.ts";
import { addOwn, nativeText, type OwnOutput, own, ownElement } from "./own-output.ts";
import { FLINN_ENGDAHL } from "./shared/event-ids.ts";
import { addMarkup, addSimple, markup, type Tags, tagsOf, XmlBytes } from "./shared/xml-bytes.ts";
import { simple } from "./shared/xml-text.ts";
import { writeExtra } from "./write-extra.ts";
import { type MechanismIds, writeMechanism } from "./write-mechanism.ts";
import { type MemberParts, NO_MEMBERS, writeMembers } from "./write-members.ts";
import {
  addMagnitude,
  addOrigin,
  hasMagnitude,
  MAGNITUDE_ID_PATH,
  ORIGIN_ID_PATH,
} from "./write-solution.ts";

/** Clients take the last word of a public id for the event's id (seisplotjs, PyWEED). */
const ONE_WORD = /^\w+$/;

const EVENT: Tags = [markup(`<event publicID="${EVENT_ID_PATH}`), markup('">')];
const EVENT_BY_SOURCE: Tags = [markup(`<event publicID="${SOURCE_ID_PATH}`), markup('">')];
const END_OF_EVENT = markup("</event>\n");
const DESCRIPTION = markup("<description><text>");
const TYPE_OF_DESCRIPTION: Tags = [markup("</text><type>"), markup("</type></description>")];
const HYPHEN = 0x2d;
const PREFERRED_ORIGIN = tagsOf("preferredOriginID", ORIGIN_ID_PATH);
const PREFERRED_MAGNITUDE = tagsOf("preferredMagnitudeID", MAGNITUDE_ID_PATH);
const TYPE = tagsOf("type");
const TYPE_CERTAINTY = tagsOf("typeCertainty");

/** What an event element holds beside the event as it is stored. */
export type QuakemlContents = MemberParts & {
  /** The Flinn-Engdahl region of an event without a region, as a description. */
  readonly regions: boolean;
};

const AS_STORED: QuakemlContents = { ...NO_MEMBERS, regions: false };

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
export function writeEvent(row: ExportRow, contents: QuakemlContents = AS_STORED): string {
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

function addHead(
  out: XmlBytes,
  row: ExportRow,
  { regions }: QuakemlContents,
  output: OwnOutput,
): void {
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

function writeMechanisms(row: ExportRow, output: OwnOutput): { xml: string; preferred: string } {
  const json = row[FIELD.focal_mechanisms] ?? null;
  if (json === null) return { xml: "", preferred: "" };
  const id = compactEventId(row[FIELD.id] ?? "");
  const list = JSON.parse(json) as Readonly<Record<string, unknown>>[];
  let xml = "";
  let exact = true;
  for (const [index, mechanism] of list.entries()) {
    const mechanismId = `${OWN_AUTHORITY}mechanism/${id}/${index + 1}`;
    const ids: MechanismIds = {
      mechanism: mechanismId,
      tensor: `${mechanismId}/tensor`,
      origin: ORIGIN_ID_PATH + id,
    };
    const element = writeMechanism(mechanism, ids);
    xml += element.xml;
    exact &&= element.exact;
  }
  if (!exact) own(output, "focal_mechanisms", json);
  const first = /publicID="([^"]*)"/.exec(xml)?.[1];
  return { xml, preferred: simple("preferredFocalMechanismID", first) };
}
