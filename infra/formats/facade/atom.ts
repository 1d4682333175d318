import { opposite, shiftDecimal } from "../decimal-number.ts";
import { epochMilliseconds, type FacadeAnswer, placeOf, updatedOf } from "../facade-row.ts";
import { type ExportRow, FIELD, type FormatWriter } from "../format-writer.ts";
import { xmlAttribute, xmlText } from "../xml/text.ts";
import { eventTitle } from "./comcat.ts";

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
