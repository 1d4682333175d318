/** USGS ComCat's formats of events: GeoJSON, summary and detail, and CSV. */

import { isJsonObject } from "#contracts/seismic-event/seismic-event.ts";
import { guardFormula } from "#contracts/text.ts";
import { MAGNITUDE_AGENCY } from "../bulletin/row.ts";
import { quoted, quoteField } from "../delimited/csv.ts";
import {
  clientId,
  epochMilliseconds,
  type FacadeAnswer,
  FDSN_VERSION,
  hasBulletin,
  millisecondTime,
  placeOf,
  reviewStatus,
  updatedOf,
} from "../facade-row.ts";
import { type ExportField, type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { createListWriter, jsonString, textOrNull } from "../json/writer.ts";

/**
 * Writes a FeatureCollection as USGS ComCat's summary format has it, one Feature per line. `metadata` has
 * limit and offset only where a limit was asked for; `bbox` stands at the end, where its ranges are not empty.
 * @param unknownDepth what stands for it after a comma and the latitude
 */
export function createComcatGeojsonWriter(
  answer: FacadeAnswer,
  unknownDepth?: string,
): FormatWriter {
  const feature = createComcatFeatureWriter(answer, unknownDepth);
  const extent = createExtent();
  return createListWriter(
    `{"type":"FeatureCollection","metadata":${JSON.stringify(metadataOf(answer))},"features":[`,
    (row) => {
      extent.add(row);
      return feature(row);
    },
    { first: "", end: () => `]${extent.member()}}\n` },
  );
}

/** Writes the one event of an answer as ComCat's detail format has it. */
export function createComcatDetailWriter(answer: FacadeAnswer): FormatWriter {
  const feature = createComcatFeatureWriter(answer);
  return {
    begin: () => "",
    row: (row) => feature(row, `,"products":${JSON.stringify(productsOf(row, answer))}`),
    end: () => "\n",
  };
}

function metadataOf({ exportedAt, request, title, limit, offset, count }: FacadeAnswer): object {
  return {
    generated: epochMilliseconds(exportedAt),
    url: request,
    title,
    status: 200,
    api: FDSN_VERSION,
    ...(limit === null ? {} : { limit, offset }),
    count,
  };
}

/** The smallest and largest longitude, latitude and known depth, as ComCat's: not across the antimeridian. */
function createExtent() {
  const fields = [FIELD.longitude, FIELD.latitude, FIELD.depth];
  const least = fields.map(() => Number.POSITIVE_INFINITY);
  const most = fields.map(() => Number.NEGATIVE_INFINITY);

  return {
    add(row: ExportRow): void {
      for (const [i, field] of fields.entries()) {
        const text = row[field] ?? null;
        if (text === null) continue;
        const value = Number(text);
        if (value < (least[i] ?? 0)) least[i] = value;
        if (value > (most[i] ?? 0)) most[i] = value;
      }
    },
    member(): string {
      const isWide = least.every((value, i) => value < (most[i] ?? 0));
      return isWide ? `,"bbox":${JSON.stringify([...least, ...most])}` : "";
    },
  };
}

/** An event's products by type: where it has a bulletin, the phase data that libcomcat reads. */
function productsOf(row: ExportRow, { service }: Pick<FacadeAnswer, "service">): object {
  if (!hasBulletin(row)) return {};
  const id = clientId(row);
  const net = networkOf(row, id);
  const code = id.slice(net.length);
  const source = net.toLowerCase();
  const updated = updatedOf(row);
  const updateTime = updated === null ? null : epochMilliseconds(updated);
  const product = {
    id: `urn:earthquake-catalogue:phase-data:${row[FIELD.id]}`,
    type: "phase-data",
    code: id,
    source,
    updateTime,
    status: "UPDATE",
    properties: propertiesOf(row, source, code),
    preferredWeight: 1,
    contents: {
      "quakeml.xml": {
        contentType: "application/xml",
        lastModified: updateTime,
        url: `${service}/query?eventid=${row[FIELD.id]}&includeall=true`,
      },
    },
  };
  return { "phase-data": [product] };
}

/** ComCat's properties of an origin, which are texts. */
const PROPERTIES = {
  eventtime: "time",
  latitude: "latitude",
  longitude: "longitude",
  depth: "depth",
  magnitude: "magnitude",
  "magnitude-type": "magnitude_type",
  "magnitude-error": "magnitude_uncertainty",
  "azimuthal-gap": "azimuthal_gap",
  "num-phases-used": "used_phase_count",
  "num-stations-used": "used_station_count",
  "minimum-distance": "minimum_distance",
  "standard-error": "standard_error",
} as const satisfies Record<string, ExportField>;

function propertiesOf(row: ExportRow, eventsource: string, eventsourcecode: string): object {
  const known = Object.entries(PROPERTIES).flatMap(([name, field]) => {
    const text = row[FIELD[field]] ?? null;
    return text === null ? [] : [[name, text]];
  });
  const status = reviewStatus(row);
  return {
    eventsource,
    eventsourcecode,
    ...Object.fromEntries(known),
    ...(status !== null && { "review-status": status }),
  };
}

/**
 * Writes events as USGS ComCat's GeoJSON summary format has them: its 26 properties in its order, always
 * there, null where unknown; depth in kilometres, positive down, as third coordinate, null where unknown.
 *
 * `detail` is an address without a query and has our id, which no other event shares: of an address with
 * a query libcomcat takes `eventid` and asks USGS. Nothing here knows of felt reports, alerts and tsunamis.
 * `net` and `code` together are the id; `net` is what the id begins with of the agency's name, mostly nothing.
 * `sig` is ComCat's of the magnitude alone. `further` are members after an event's properties, beginning with
 * a comma.
 */
function createComcatFeatureWriter({ service, address }: FacadeAnswer, unknownDepth = ",null") {
  const url = openString(`${address}/events/`);
  const detail = openString(service.replace(/\/fdsnws\/event\/1$/, "/feed/v1.0/detail/"));
  const updatedMilliseconds = createLastMilliseconds();

  return (row: ExportRow, further = ""): string => {
    const id = clientId(row);
    const depth = row[FIELD.depth] ?? null;
    const net = networkOf(row, id);
    const magnitude = row[FIELD.magnitude] ?? null;
    const place = placeOf(row);
    return (
      `{"type":"Feature","properties":{"mag":${magnitude},"place":${jsonString(place)},` +
      `"time":${epochMilliseconds(row[FIELD.time] ?? "")},` +
      `"updated":${updatedMilliseconds(updatedOf(row))},"tz":null,` +
      `"url":${url}${row[FIELD.id]}","detail":${detail}${row[FIELD.id]}.geojson",` +
      `"felt":null,"cdi":null,"mmi":null,"alert":null,"status":${textOrNull(reviewStatus(row))},` +
      `"tsunami":0,"sig":${significance(magnitude)},` +
      `"net":${jsonString(net)},"code":${jsonString(id.slice(net.length))},` +
      `"ids":${jsonString(idsOf(row, id))},"sources":${jsonString(sourcesOf(row, net))},` +
      `"types":${hasBulletin(row) ? TYPES_WITH_PHASES : TYPES},"nst":${row[FIELD.used_station_count] ?? null},` +
      `"dmin":${row[FIELD.minimum_distance] ?? null},"rms":${row[FIELD.standard_error] ?? null},` +
      `"gap":${row[FIELD.azimuthal_gap] ?? null},"magType":${textOrNull(row[FIELD.magnitude_type])},` +
      `"type":${textOrNull(row[FIELD.event_type])},` +
      `"title":${jsonString(eventTitle(row, place))}${further}},` +
      `"geometry":{"type":"Point","coordinates":[${row[FIELD.longitude]},${row[FIELD.latitude]}` +
      `${depth === null ? unknownDepth : `,${depth}`}]},"id":${jsonString(id)}}`
    );
  };
}

/** The types of products, in ComCat's form of lists. */
const TYPES = '",origin,"';
const TYPES_WITH_PHASES = '",origin,phase-data,"';

/** The beginning of a JSON string that goes on with what needs no escape. */
function openString(text: string): string {
  return JSON.stringify(text).slice(0, -1);
}

/** Converts times to milliseconds; most events of a catalogue were changed last by the same version. */
function createLastMilliseconds(): (time: string | null) => number | null {
  let last: string | null = null;
  let milliseconds: number | null = null;
  return (time) => {
    if (time !== last) milliseconds = time === null ? null : epochMilliseconds(time);
    last = time;
    return milliseconds;
  };
}

/** ComCat's significance of an event that nobody reported to have felt: 100 · M² / 6.5. */
function significance(magnitude: string | null): number {
  return Math.round((100 * Number(magnitude) ** 2) / 6.5);
}

/** The event's id and, of a merged event, those of its members. */
function idsOf(row: ExportRow, id: string): string {
  if ((row[FIELD.source_events] ?? null) === null) return `,${id},`;
  const members = membersOf(row).flatMap(({ source_id }) => source_id ?? []);
  return listOf([id, ...members]);
}

/** The sources of a merged event's members; else the event's agency. */
function sourcesOf(row: ExportRow, net: string): string {
  const sources = membersOf(row).flatMap(({ source }) => source ?? []);
  return listOf(sources.length > 0 ? sources : [row[FIELD.agency_id] ?? net]);
}

/** Null where the reader is not told. */
function membersOf(row: ExportRow): { source_id: string | null; source: string | null }[] {
  return JSON.parse(row[FIELD.source_events] ?? "[]");
}

/** ComCat's lists have a comma before and after each item; an item with a comma would be two. */
function listOf(items: readonly string[]): string {
  const distinct = new Set(items.filter((item) => item !== "" && !item.includes(",")));
  return distinct.size === 0 ? "" : `,${[...distinct].join(",")},`;
}

/**
 * What an event's id begins with of its agency's name, in any case: `us` of `us7000abcd` by US. ComCat's ids
 * are network and code; where an agency's are not, this is "" and the whole id is the code.
 */
function networkOf(row: ExportRow, id: string): string {
  const agency = row[FIELD.agency_id] ?? "";
  if (agency === "" || agency.length >= id.length) return "";
  const start = id.slice(0, agency.length);
  return start.toLowerCase() === agency.toLowerCase() ? start : "";
}

/**
 * ComCat's title of an event: `M 4.5 - place`, with the type of what is no earthquake
 * (`M 2.1 Quarry Blast - place`) and `?` for an unknown magnitude.
 */
export function eventTitle(row: ExportRow, place: string): string {
  const type = row[FIELD.event_type] ?? "earthquake";
  const words =
    type === "earthquake"
      ? ""
      : ` ${type.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())}`;
  return `M ${size(row[FIELD.magnitude] ?? null)}${words} - ${place}`;
}

function size(magnitude: string | null): string {
  if (magnitude === null) return "?";
  const text = Number(magnitude).toFixed(1);
  return text === "-0.0" ? "0.0" : text;
}

const HEADER =
  "time,latitude,longitude,depth,mag,magType,nst,gap,dmin,rms,net,id,updated,place,type," +
  "horizontalError,depthError,magError,magNst,status,locationSource,magSource\n";

/**
 * Writes USGS ComCat's CSV: its 22 columns, times with milliseconds, kilometres, `place` always quoted, other
 * texts where RFC 4180 asks for it. A text that a spreadsheet would run as a formula gets a leading `'`.
 */
export function createComcatCsvWriter(): FormatWriter {
  return { begin: () => HEADER, row: recordOf, end: () => "" };
}

function recordOf(row: ExportRow): string {
  const agency = textCell(row[FIELD.agency_id]);
  const updated = updatedOf(row);
  return (
    `${millisecondTime(row[FIELD.time] ?? "")},${row[FIELD.latitude]},${row[FIELD.longitude]},` +
    `${cell(row, FIELD.depth)},${cell(row, FIELD.magnitude)},` +
    `${textCell(row[FIELD.magnitude_type])},${cell(row, FIELD.used_station_count)},` +
    `${cell(row, FIELD.azimuthal_gap)},${cell(row, FIELD.minimum_distance)},` +
    `${cell(row, FIELD.standard_error)},${agency},${clientId(row)},` +
    `${updated === null ? "" : millisecondTime(updated)},${quoted(guardFormula(placeOf(row)))},${cell(row, FIELD.event_type)},` +
    `${cell(row, FIELD.horizontal_uncertainty)},${cell(row, FIELD.depth_uncertainty)},` +
    `${cell(row, FIELD.magnitude_uncertainty)},${cell(row, FIELD.magnitude_station_count)},` +
    `${reviewStatus(row) ?? ""},${agency},${textCell(magnitudeAgency(row))}\n`
  );
}

/** Kept by the reader of QuakeML; else unknown, since an agency may take another's magnitude. */
function magnitudeAgency(row: ExportRow): string | null {
  const extra = row[FIELD.extra] ?? null;
  if (extra?.includes(MAGNITUDE_AGENCY) !== true) return null;
  const members: unknown = JSON.parse(extra);
  const agency = isJsonObject(members) ? members[MAGNITUDE_AGENCY] : null;
  return typeof agency === "string" ? agency : null;
}

function cell(row: ExportRow, field: number): string {
  return row[field] ?? "";
}

function textCell(text: string | null | undefined): string {
  if (text === null || text === undefined) return "";
  return quoteField(guardFormula(text));
}
