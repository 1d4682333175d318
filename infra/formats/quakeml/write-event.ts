import { compactEventId } from "#contracts/seismic-event/event-id.ts";
import {
  EVENT_ID_PATH,
  OWN_AUTHORITY,
  SOURCE_ID_PATH,
} from "#contracts/seismic-event/own-public-id.ts";
import { flinnEngdahlRegionOf } from "../facade-event.ts";
import { type ExportRow, FIELD } from "../format-writer.ts";
import { nativeText, type OwnOutput, own, ownElement } from "./own-output.ts";
import { FLINN_ENGDAHL } from "./shared/event-ids.ts";
import { simple } from "./shared/xml-text.ts";
import { writeExtra } from "./write-extra.ts";
import { type MechanismIds, writeMechanism } from "./write-mechanism.ts";
import { type MemberParts, NO_MEMBERS, writeMembers } from "./write-members.ts";
import { writeMagnitude, writeOrigin } from "./write-solution.ts";

/** Clients take the last word of a public id for the event's id (seisplotjs, PyWEED). */
const ONE_WORD = /^\w+$/;

/** What an event element holds beside the event as it is stored. */
export type QuakemlContents = MemberParts & {
  /** The Flinn-Engdahl region of an event without a region, as a description. */
  readonly regions: boolean;
};

const AS_STORED: QuakemlContents = { ...NO_MEMBERS, regions: false };

/** A row as an event element, followed by a line break. */
export function writeEvent(row: ExportRow, contents: QuakemlContents = AS_STORED): string {
  const id = compactEventId(row[FIELD.id] ?? "");
  const originId = `${OWN_AUTHORITY}origin/${id}`;
  const magnitudeId = `${OWN_AUTHORITY}magnitude/${id}`;
  const output: OwnOutput = { own: "" };
  const hasMagnitude = (row[FIELD.magnitude] ?? null) !== null;
  const horizontal = row[FIELD.horizontal_uncertainty] ?? null;
  const extra = writeExtra(row[FIELD.extra] ?? null, horizontal, hasMagnitude);
  const origin = writeOrigin(row, originId, extra, output);
  const magnitude = writeMagnitude(row, magnitudeId, originId, extra, output);
  const mechanisms = writeMechanisms(row, id, originId, output);
  const members = writeMembers(row, originId, contents);
  const head = writeHead(row, contents, output);
  const publicId = writePublicId(row, id, output);
  own(output, "extra", extra.rest);
  own(output, "source_events", row[FIELD.source_events]);
  return (
    `<event publicID="${publicId}">` +
    `<preferredOriginID>${originId}</preferredOriginID>` +
    (magnitude === "" ? "" : `<preferredMagnitudeID>${magnitudeId}</preferredMagnitudeID>`) +
    `${mechanisms.preferred}${head}${origin}${members.origins}` +
    `${magnitude}${members.magnitudes}${mechanisms.xml}${ownElement(output)}</event>\n`
  );
}

function writePublicId(row: ExportRow, id: string, output: OwnOutput): string {
  const sourceId = row[FIELD.source_id] ?? null;
  if (sourceId !== null && !ONE_WORD.test(sourceId)) {
    own(output, "source_id", JSON.stringify(sourceId));
  }
  return publicIdOf(sourceId, id);
}

/** The service's public id of an event. @param id ours as 32 digits */
function publicIdOf(sourceId: string | null, id: string): string {
  return sourceId !== null && ONE_WORD.test(sourceId)
    ? SOURCE_ID_PATH + sourceId
    : EVENT_ID_PATH + id;
}

/** The public id that clients see of an event, from which they cut its id. */
export function clientPublicId(row: ExportRow): string {
  return publicIdOf(row[FIELD.source_id] ?? null, compactEventId(row[FIELD.id] ?? ""));
}

function writeHead(row: ExportRow, { regions }: QuakemlContents, output: OwnOutput): string {
  const region = nativeText(row, "region", output);
  return (
    simple("type", row[FIELD.event_type]) +
    simple("typeCertainty", row[FIELD.event_type_certainty]) +
    (region !== ""
      ? description(region, "region name")
      : regions
        ? description(flinnEngdahlRegionOf(row), FLINN_ENGDAHL)
        : "")
  );
}

function description(text: string, type: string): string {
  return `<description><text>${text}</text><type>${type}</type></description>`;
}

function writeMechanisms(
  row: ExportRow,
  id: string,
  originId: string,
  output: OwnOutput,
): { xml: string; preferred: string } {
  const json = row[FIELD.focal_mechanisms] ?? null;
  if (json === null) return { xml: "", preferred: "" };
  const list = JSON.parse(json) as Readonly<Record<string, unknown>>[];
  let xml = "";
  let exact = true;
  for (const [index, mechanism] of list.entries()) {
    const mechanismId = `${OWN_AUTHORITY}mechanism/${id}/${index + 1}`;
    const ids: MechanismIds = {
      mechanism: mechanismId,
      tensor: `${mechanismId}/tensor`,
      origin: originId,
    };
    const element = writeMechanism(mechanism, ids);
    xml += element.xml;
    exact &&= element.exact;
  }
  if (!exact) own(output, "focal_mechanisms", json);
  const first = /publicID="([^"]*)"/.exec(xml)?.[1];
  return { xml, preferred: simple("preferredFocalMechanismID", first) };
}
