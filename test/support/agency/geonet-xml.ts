import type { JsonObject, JsonValue } from "#contracts/seismic-event/seismic-event.ts";
import type { ServedEvent } from "./served-catalogue.ts";

const PREFIX = "smi:nz.org.geonet/";

/** The document around the events, as GeoNet's. */
export const XML_HEAD =
  '<?xml version="1.0" encoding="UTF-8"?>\n<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" ' +
  `xmlns="http://quakeml.org/xmlns/bed/1.2"><eventParameters publicID="${PREFIX}NA">\n`;
export const XML_TAIL = "</eventParameters></q:quakeml>\n";

/** An event with `picks` picks and arrivals, about 240 and 190 characters each. */
export function writeXml({ row, xml, updatedMs }: ServedEvent, picks: number): string {
  if (xml !== undefined) return xml;
  const id = String(row["source_id"]);
  const magnitude = row["magnitude"] ?? null;
  return (
    `<event publicID="${PREFIX}${id}"><preferredOriginID>${PREFIX}o.${id}</preferredOriginID>` +
    (magnitude === null ? "" : `<preferredMagnitudeID>${PREFIX}m.${id}</preferredMagnitudeID>`) +
    `${simple("type", row["event_type"])}` +
    `<description><text>${escapeText(row["region"])}</text><type>region name</type></description>` +
    `<creationInfo><agencyID>WEL</agencyID><creationTime>${creationTime(row, updatedMs)}</creationTime></creationInfo>` +
    writeOrigin(id, row, picks) +
    (magnitude === null
      ? ""
      : `<magnitude publicID="${PREFIX}m.${id}">${quantity("mag", magnitude, row["magnitude_uncertainty"])}` +
        `${simple("type", row["magnitude_type"])}<originID>${PREFIX}o.${id}</originID></magnitude>`) +
    writePicks(id, row, picks) +
    "</event>\n"
  );
}

function writeOrigin(id: string, row: JsonObject, picks: number): string {
  let arrivals = "";
  for (let i = 0; i < picks; i++) {
    arrivals +=
      `<arrival publicID="${PREFIX}a.${id}.${i}"><pickID>${PREFIX}p.${id}.${i}</pickID><phase>P</phase>` +
      `<azimuth>113.1</azimuth><distance>0.${i}1</distance><timeResidual>0.13</timeResidual><timeWeight>1.0</timeWeight></arrival>`;
  }
  const depth = row["depth"] ?? null;
  return (
    `<origin publicID="${PREFIX}o.${id}">${quantity("time", row["time"])}` +
    quantity("latitude", row["latitude"]) +
    quantity("longitude", row["longitude"]) +
    (depth === null ? "" : quantity("depth", metres(depth), metres(row["depth_uncertainty"]))) +
    "<quality>" +
    simple("usedPhaseCount", row["used_phase_count"]) +
    simple("usedStationCount", row["used_station_count"]) +
    simple("standardError", row["standard_error"]) +
    simple("azimuthalGap", row["azimuthal_gap"]) +
    "</quality>" +
    simple("evaluationMode", row["evaluation_mode"]) +
    simple("evaluationStatus", row["evaluation_status"]) +
    `<creationInfo><agencyID>WEL(GNS_Test)</agencyID></creationInfo>${arrivals}</origin>`
  );
}

function writePicks(id: string, row: JsonObject, count: number): string {
  let picks = "";
  for (let i = 0; i < count; i++) {
    picks +=
      `<pick publicID="${PREFIX}p.${id}.${i}"><time><value>${row["time"]}</value></time>` +
      `<waveformID networkCode="NZ" stationCode="S${i}" channelCode="EHZ"/>` +
      `<phaseHint>P</phaseHint><evaluationMode>automatic</evaluationMode></pick>`;
  }
  return picks;
}

/** ComCat gives here when an event was last changed. */
function creationTime(row: JsonObject, updatedMs: number | undefined): string {
  if (updatedMs !== undefined) return new Date(updatedMs).toISOString();
  const { extra } = row;
  const given = typeof extra === "object" && extra !== null && "creation_time" in extra;
  return given ? String(extra["creation_time"]) : "2024-05-07T08:24:09.853Z";
}

/** Kilometres have at most three digits after the point here. */
function metres(kilometres: JsonValue | undefined): number | undefined {
  return typeof kilometres === "number" ? Math.round(kilometres * 1000) : undefined;
}

function quantity(
  name: string,
  value: JsonValue | undefined,
  uncertainty?: JsonValue | undefined,
): string {
  if (value === null || value === undefined) return "";
  return `<${name}><value>${value}</value>${simple("uncertainty", uncertainty)}</${name}>`;
}

function simple(name: string, value: JsonValue | undefined): string {
  return value === null || value === undefined ? "" : `<${name}>${escapeText(value)}</${name}>`;
}

function escapeText(value: JsonValue | undefined): string {
  return String(value ?? "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;");
}
