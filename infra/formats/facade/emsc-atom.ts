/** EMSC's JSON of events, and Atom. */

import {
  clientId,
  epochMilliseconds,
  type FacadeAnswer,
  isDeleted,
  paddedTime,
  placeOf,
  updatedOf,
} from "../facade-row.ts";
import { type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { TYPES } from "../isf/values.ts";
import { createListWriter, jsonString, textOrNull } from "../json/writer.ts";
import { opposite, shiftDecimal } from "../written-values.ts";
import { xmlAttribute, xmlText } from "../xml/xml.ts";
import { eventTitle } from "./comcat.ts";

/** EMSC's has no status: a removed event has this one, others have none. */
const DELETED = ',"status":"deleted"';

/** Writes the JSON of EMSC's event service, one Feature per line. */
export function createEmscJsonWriter({
  catalogue,
  count,
  total = count,
}: Pick<FacadeAnswer, "catalogue" | "count" | "total">): FormatWriter {
  return createListWriter(
    `{"type":"FeatureCollection","metadata":{"totalCount":${total}},"features":[`,
    (row) => emscFeature(row, catalogue.name, isDeleted(row) ? DELETED : ""),
    { first: "", end: () => "]}\n" },
  );
}

/**
 * An event as EMSC's seismicportal has it in its event service and its live feed: the depth is a height,
 * negative kilometres, in the geometry and positive kilometres in the properties; `flynn_region` is the place.
 * @param catalogue the name of the catalogue
 * @param further members that are added to the properties, each after a comma
 */
export function emscFeature(row: ExportRow, catalogue: string, further = ""): string {
  const id = jsonString(clientId(row));
  const [longitude, latitude] = [row[FIELD.longitude], row[FIELD.latitude]];
  const depth = row[FIELD.depth] ?? null;
  const height = depth === null ? null : opposite(depth);
  return (
    `{"type":"Feature","geometry":{"type":"Point","coordinates":[${longitude},${latitude},${height}]},` +
    `"id":${id},"properties":{"source_id":${textOrNull(row[FIELD.source_id])},` +
    `"source_catalog":${jsonString(catalogue)},"lastupdate":${timeOrNull(updatedOf(row))},` +
    `"time":${timeOrNull(row[FIELD.time] ?? null)},"flynn_region":${jsonString(placeOf(row))},` +
    `"lat":${latitude},"lon":${longitude},"depth":${depth},` +
    `"evtype":${jsonString(emscEventType(row))},` +
    `"auth":${textOrNull(row[FIELD.agency_id] ?? row[FIELD.author])},` +
    `"mag":${row[FIELD.magnitude] ?? null},"magtype":${textOrNull(row[FIELD.magnitude_type])},` +
    `"unid":${id}${further}}}`
  );
}

function timeOrNull(time: string | null): string | null {
  return time === null ? null : `"${paddedTime(time)}"`;
}

/** The second letter of IMS 1.0's event types, which EMSC uses; the first says how certain the type is. */
const IMS_LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(TYPES).map(([letter, type]) => [type, letter]),
);

/**
 * The type in IMS 1.0's two letters: `ke` a known, `se` a suspected earthquake, `ls` a landslide, `uk` unknown.
 * A type without letters has QuakeML's name.
 */
export function emscEventType(row: ExportRow): string {
  const type = row[FIELD.event_type] ?? null;
  if (type === null) return "uk";
  if (type === "landslide") return "ls";
  const letter = IMS_LETTERS.get(type);
  if (letter === undefined) return type;
  return (row[FIELD.event_type_certainty] === "suspected" ? "s" : "k") + letter;
}

/**
 * Writes an Atom feed (RFC 4287) with GeoRSS points, as USGS's summary feeds have it: an entry per
 * event, in the given order.
 */
export function createAtomWriter(answer: FacadeAnswer): FormatWriter {
  const { title, request, catalogue, exportedAt, address } = answer;
  return {
    begin: () =>
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
      '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">\n' +
      `<title>${xmlText(title)}</title>\n<updated>${exportedAt}</updated>\n` +
      `<author><name>${xmlText(catalogue.name)}</name></author>\n` +
      `<id>${xmlText(request)}</id>\n<link rel="self" href="${xmlAttribute(request)}"/>\n`,
    row: (row) => entryOf(row, address),
    end: () => "</feed>\n",
  };
}

function entryOf(row: ExportRow, address: string): string {
  const id = row[FIELD.id] ?? "";
  const time = row[FIELD.time] ?? "";
  const place = placeOf(row);
  const magnitude = row[FIELD.magnitude] ?? null;
  const depth = row[FIELD.depth] ?? null;
  const size =
    magnitude === null ? "Magnitude unknown" : `Magnitude ${Math.floor(Number(magnitude))}`;
  const elevation = depth === null ? null : shiftDecimal(depth, 3);
  return (
    `<entry><id>urn:uuid:${id}</id><title>${xmlText(eventTitle(row, place))}</title>` +
    `<updated>${updatedOf(row) ?? time}</updated>` +
    `<link rel="alternate" href="${xmlAttribute(`${address}/events/${id}`)}"/>` +
    `<summary>${xmlText(summaryOf(time, depth))}</summary>` +
    `<georss:point>${row[FIELD.latitude]} ${row[FIELD.longitude]}</georss:point>` +
    (elevation === null ? "" : `<georss:elev>${opposite(elevation)}</georss:elev>`) +
    `<category label="Magnitude" term="${size}"/></entry>\n`
  );
}

function summaryOf(time: string, depth: string | null): string {
  const at = new Date(epochMilliseconds(time)).toISOString().slice(0, 19).replace("T", " ");
  return depth === null ? `${at} UTC` : `${at} UTC, depth ${depth} km`;
}
