import { shiftDecimal } from "../decimal-number.ts";
import { type ExportRow, FIELD } from "../format-writer.ts";
import {
  EVENT_ID_PATH,
  OWN_AUTHORITY,
  OWN_ELEMENT,
  OWN_PREFIX,
  SOURCE_ID_PATH,
} from "./event-ids.ts";
import { type KeptXml, writeKept } from "./write-kept.ts";
import { type MechanismIds, writeMechanism } from "./write-mechanism.ts";
import { escapeJson, escapeXml, isExpressible, quantity, simple, wrapped } from "./xml-text.ts";

/** Valid as the last path part of the schema's ResourceIdentifier, without escapes. */
const PATH_PART = /^[\w.*()~-]+$/;
const KILOMETRES_TO_METRES = 3;

/** Members for our own element, as JSON text. */
type OwnOutput = { own: string };

/** A row as an event element, followed by a line break. */
export function writeEvent(row: ExportRow): string {
  const id = row[FIELD.id] ?? "";
  const originId = `${OWN_AUTHORITY}origin/${id}`;
  const magnitudeId = `${OWN_AUTHORITY}magnitude/${id}`;
  const output: OwnOutput = { own: "" };
  const hasMagnitude = (row[FIELD.magnitude] ?? null) !== null;
  const horizontal = row[FIELD.horizontal_uncertainty] ?? null;
  const kept = writeKept(row[FIELD.extra] ?? null, horizontal, hasMagnitude);
  const origin = writeOrigin(row, originId, kept, output);
  const magnitude = writeMagnitude(row, magnitudeId, originId, kept, output);
  const mechanisms = writeMechanisms(row, id, originId, output);
  const head = writeHead(row, output);
  const publicId = writePublicId(row, id, output);
  own(output, "extra", kept.rest);
  own(output, "source_events", row[FIELD.source_events]);
  return (
    `<event publicID="${publicId}">` +
    `<preferredOriginID>${originId}</preferredOriginID>` +
    (magnitude === "" ? "" : `<preferredMagnitudeID>${magnitudeId}</preferredMagnitudeID>`) +
    `${mechanisms.preferred}${head}${origin}${magnitude}${mechanisms.xml}${ownElement(output)}</event>\n`
  );
}

function writePublicId(row: ExportRow, id: string, output: OwnOutput): string {
  const sourceId = row[FIELD.source_id] ?? null;
  if (sourceId === null) return EVENT_ID_PATH + id;
  if (PATH_PART.test(sourceId)) return SOURCE_ID_PATH + sourceId;
  own(output, "source_id", JSON.stringify(sourceId));
  return EVENT_ID_PATH + id;
}

function writeHead(row: ExportRow, output: OwnOutput): string {
  const region = nativeText(row, "region", output);
  return (
    simple("type", row[FIELD.event_type]) +
    simple("typeCertainty", row[FIELD.event_type_certainty]) +
    (region === ""
      ? ""
      : `<description><text>${region}</text><type>region name</type></description>`)
  );
}

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

function writeOrigin(row: ExportRow, originId: string, kept: KeptXml, output: OwnOutput): string {
  const agency = nativeText(row, "agency_id", output);
  const author = nativeText(row, "author", output);
  return (
    `<origin publicID="${originId}">` +
    quantity("time", row[FIELD.time], row[FIELD.time_uncertainty]) +
    quantity("latitude", row[FIELD.latitude], row[FIELD.latitude_uncertainty]) +
    quantity("longitude", row[FIELD.longitude], row[FIELD.longitude_uncertainty]) +
    writeDepth(row, output) +
    simple("depthType", row[FIELD.depth_type]) +
    kept.origin +
    wrapped("quality", writeQuality(row)) +
    (kept.uncertainty || writeCircle(row)) +
    simple("evaluationMode", row[FIELD.evaluation_mode]) +
    simple("evaluationStatus", row[FIELD.evaluation_status]) +
    wrapped("creationInfo", simple("agencyID", agency || null) + simple("author", author || null)) +
    "</origin>"
  );
}

/** Readers expect no uncertainty without a depth: it goes into our own element. */
function writeDepth(row: ExportRow, output: OwnOutput): string {
  const depth = metres(row[FIELD.depth]);
  if (depth !== null) return quantity("depth", depth, metres(row[FIELD.depth_uncertainty]));
  own(output, "depth_uncertainty", row[FIELD.depth_uncertainty]);
  return "";
}

function writeCircle(row: ExportRow): string {
  const radius = metres(row[FIELD.horizontal_uncertainty]);
  if (radius === null) return "";
  return `<originUncertainty><horizontalUncertainty>${radius}</horizontalUncertainty><preferredDescription>horizontal uncertainty</preferredDescription></originUncertainty>`;
}

function writeQuality(row: ExportRow): string {
  return (
    simple("usedPhaseCount", row[FIELD.used_phase_count]) +
    simple("usedStationCount", row[FIELD.used_station_count]) +
    simple("standardError", row[FIELD.standard_error]) +
    simple("azimuthalGap", row[FIELD.azimuthal_gap]) +
    simple("minimumDistance", row[FIELD.minimum_distance])
  );
}

function writeMagnitude(
  row: ExportRow,
  magnitudeId: string,
  originId: string,
  kept: KeptXml,
  output: OwnOutput,
): string {
  const value = row[FIELD.magnitude] ?? null;
  if (value === null) {
    const type = row[FIELD.magnitude_type] ?? null;
    own(output, "magnitude_type", type === null ? null : JSON.stringify(type));
    own(output, "magnitude_uncertainty", row[FIELD.magnitude_uncertainty]);
    own(output, "magnitude_station_count", row[FIELD.magnitude_station_count]);
    return "";
  }
  const type = nativeText(row, "magnitude_type", output);
  return (
    `<magnitude publicID="${magnitudeId}">` +
    quantity("mag", value, row[FIELD.magnitude_uncertainty]) +
    simple("type", type || null) +
    `<originID>${originId}</originID>` +
    simple("stationCount", row[FIELD.magnitude_station_count]) +
    `${kept.magnitude}</magnitude>`
  );
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
    const written = writeMechanism(mechanism, ids);
    xml += written.xml;
    exact &&= written.exact;
  }
  if (!exact) own(output, "focal_mechanisms", json);
  const first = /publicID="([^"]*)"/.exec(xml)?.[1];
  return { xml, preferred: simple("preferredFocalMechanismID", first) };
}

function metres(kilometres: string | null | undefined): string | null {
  return kilometres === null || kilometres === undefined
    ? null
    : shiftDecimal(kilometres, KILOMETRES_TO_METRES);
}

/** Adds an attribute's name and its value as JSON text. */
function own(output: OwnOutput, name: string, json: string | null | undefined): void {
  if (json === null || json === undefined) return;
  output.own += `${output.own === "" ? "" : ","}"${name}":${json}`;
}

function ownElement({ own: members }: OwnOutput): string {
  if (members === "") return "";
  const name = `${OWN_PREFIX}:${OWN_ELEMENT}`;
  return `<${name}>{${escapeJson(members)}}</${name}>`;
}
