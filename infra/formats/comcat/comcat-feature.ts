import {
  clientId,
  epochMilliseconds,
  hasBulletin,
  placeOf,
  reviewStatus,
  updatedOf,
} from "../facade-event.ts";
import type { FacadeAnswer } from "../facade-row.ts";
import { type ExportRow, FIELD } from "../format-writer.ts";
import { jsonString, textOrNull } from "../json/json-writer.ts";
import { eventTitle } from "./event-title.ts";

/** Where events are found: addresses of the event service and of the catalogue. */
type ComcatLinks = Pick<FacadeAnswer, "service" | "address">;

/** Writes an event as a Feature; `further` are members after its properties, beginning with a comma. */
type FeatureWriter = (row: ExportRow, further?: string) => string;

/**
 * Writes events as USGS ComCat's GeoJSON summary format has them: its 26 properties in its order, always
 * there, null where unknown; depth in kilometres, positive down, as third coordinate, null where unknown.
 *
 * `detail` is an address without a query and has our id, which no other event shares: of an address with
 * a query libcomcat takes `eventid` and asks USGS. Nothing here knows of felt reports, alerts and tsunamis. `net` and `code` together are the id; `net` is
 * what the id begins with of the agency's name, mostly nothing. `sig` is ComCat's of the magnitude alone.
 */
export function createComcatFeatureWriter(links: ComcatLinks): FeatureWriter {
  return createFeatureWriter(links, (depth) => `,${depth}`);
}

/** As the other, but an unknown depth is left out. */
export function createFlatFeatureWriter(links: ComcatLinks): FeatureWriter {
  return createFeatureWriter(links, (depth) => (depth === null ? "" : `,${depth}`));
}

function createFeatureWriter(
  { service, address }: ComcatLinks,
  third: (depth: string | null) => string,
): FeatureWriter {
  const url = openString(`${address}/events/`);
  const detail = openString(service.replace(/\/fdsnws\/event\/1$/, "/feed/v1.0/detail/"));
  const updatedMilliseconds = createLastMilliseconds();

  return (row, further = "") => {
    const id = clientId(row);
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
      `${third(row[FIELD.depth] ?? null)}]},"id":${jsonString(id)}}`
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
type MemberNames = { readonly source_id: string | null; readonly source: string | null };

function membersOf(row: ExportRow): MemberNames[] {
  const json = row[FIELD.source_events] ?? null;
  return json === null ? [] : (JSON.parse(json) as MemberNames[]);
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
export function networkOf(row: ExportRow, id: string): string {
  const agency = row[FIELD.agency_id] ?? "";
  if (agency === "" || agency.length >= id.length) return "";
  const start = id.slice(0, agency.length);
  return start.toLowerCase() === agency.toLowerCase() ? start : "";
}
