/** Ids by which others know an event, in files, in queries and in its bulletin. */

import { ATTRIBUTES } from "./attributes.ts";
import { OWN_AUTHORITY, SOURCE_ID_PATH } from "./ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./seismic-event.ts";

/** An event's ids: the submitter's or agency's (`source_id`), and the one in `extra.public_id`. */
export type EventIds = { readonly sourceId: string | null; readonly publicId: string | null };

/** The same limit as `source_id`, which may hold a public id. */
export const MAX_PUBLIC_ID = ATTRIBUTES.source_id.maxLength;

/** Ids in a query, as in USGS's, INGV's and ISC's: `…?eventid=us123`, `…/evid=7453151`. */
const ID_PARAMETER = /[?&/](?:eventid|evid|id)=([^&#/]+)/i;
/** Last path parts that name a kind, not a thing. */
const NO_IDENTIFIER = /^(?:event)?#?$/i;
/** QuakeML's resource identifiers; submitters' own ids have other forms. */
const RESOURCE_ID = /^(?:smi|quakeml):/;

/**
 * The bare id in a public one: the id in its query, else the last part of its path that is not empty
 * and not just the word `event`; where there is neither, the public id itself.
 *
 * | public id | bare id |
 * |---|---|
 * | `smi:nz.org.geonet/2024p344188` | `2024p344188` |
 * | `smi:org.gfz-potsdam.de/geofon/gfz2024abcd` | `gfz2024abcd` |
 * | `quakeml:us.anss.org/event/us7000abcd` | `us7000abcd` |
 * | `quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml` | `ci15481673` |
 * | `smi:webservices.ingv.it/fdsnws/event/1/query?eventId=123` | `123` |
 * | `smi:ISC/evid=600516598` | `600516598` |
 * | `smi:de.bgr/out.scb/20150304062151/event/1` | `1` |
 * | `smi:local/event/230826094944/-32.73/116.39/` | `116.39` |
 * | `smi:ch.ethz.sed/sc20a/Event/2024abcd#3` | `2024abcd#3` |
 * | `smi:ch.ethz.sed/2024abcd/event#` | `2024abcd` |
 * | `2024p344188` (bare already) | `2024p344188` |
 *
 * Different public ids may have one bare id (those of BGR in the table): which event is meant, the bare
 * id alone does not tell.
 */
export function bareId(publicId: string): string {
  const parameter = ID_PARAMETER.exec(publicId)?.[1];
  if (parameter !== undefined) return parameter;
  return publicId.split("/").findLast((part) => !NO_IDENTIFIER.test(part)) ?? publicId;
}

/** An agency's id of an event: the bare id, and the public id if that says more. */
export function idsIn(id: string): EventIds & { readonly sourceId: string } {
  const sourceId = bareId(id);
  return { sourceId, publicId: sourceId === id ? null : id };
}

/** Ids of a record or row. A resource identifier is public in either place; a long text is not. */
export function idsOf(record: {
  readonly source_id?: JsonValue | undefined;
  readonly extra?: JsonValue | undefined;
}): EventIds {
  const sourceId = textOrNull(record.source_id);
  const own = isJsonObject(record.extra) ? textOrNull(record.extra["public_id"]) : null;
  if (own !== null && own.length <= MAX_PUBLIC_ID) return { sourceId, publicId: own };
  const isPublic = sourceId !== null && RESOURCE_ID.test(sourceId);
  return { sourceId, publicId: isPublic ? sourceId : null };
}

/** The bare id of an event: its `source_id`, unless that holds a public id. */
export function bareIdOf({ sourceId, publicId }: EventIds): string | null {
  return publicId !== null && sourceId === publicId ? bareId(publicId) : sourceId;
}

function textOrNull(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

const UUID = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/i;

export type EventIdForms = ReturnType<typeof eventIdForms>;

/**
 * All that an id in a query can be: our id with or without hyphens, the public id that our QuakeML
 * gives an event, an agency's public id or its bare id (`source_id`), as the formats show them. An event is meant that
 * has
 * - `ourId` as its id, in lower case, with hyphens; or
 * - one of `publicIds` as its public id (`extra.public_id`); or
 * - one of `sourceIds` as its `source_id`, or as the bare id in a `source_id` that is a public id; or
 * - `bareId` as its `source_id`, and no public id: of events that have one the bare id does not tell
 *   which is meant (`infra/decisions/0024`).
 */
export function eventIdForms(text: string) {
  const id = text.trim();
  const own = id.startsWith(OWN_AUTHORITY);
  const ourId = uuidOf(own ? id.slice(id.lastIndexOf("/") + 1) : id);
  const sourceId = id.startsWith(SOURCE_ID_PATH) ? id.slice(SOURCE_ID_PATH.length) : null;
  const bare = bareId(id);
  const isPublic = !own && bare !== id;
  return {
    ourId,
    sourceIds: sourceId === null ? [id] : [id, sourceId],
    publicIds: id.length <= MAX_PUBLIC_ID ? [id] : [],
    // With a comma it may be several ids, of which the last one is not meant alone.
    bareId: isPublic && !id.includes(",") ? bare : null,
  };
}

/** By which of its ids an event is meant. */
export type MeantBy = "id" | "source_id" | "public_id";

/**
 * By which of its ids an event is meant; null where another is.
 * @param event its id here; its `source_id`, and the public id beside it in `extra`
 */
export function meantBy(
  { ourId, sourceIds, publicIds, bareId: bare }: EventIdForms,
  { id, sourceId, publicId }: EventIds & { readonly id: string },
): MeantBy | null {
  if (id === ourId) return "id";
  const isPublicId = publicId !== null && publicIds.includes(publicId);
  if (sourceId !== null) {
    if (sourceIds.includes(sourceId)) return "source_id";
    if (HAS_PARTS.test(sourceId) && sourceIds.includes(bareId(sourceId))) return "source_id";
    if (sourceId === bare && publicId === null) return "source_id";
  }
  return isPublicId ? "public_id" : null;
}

/** Of texts that may have a bare id within them. */
const HAS_PARTS = /[/?&]/;

function uuidOf(text: string): string | null {
  const parts = UUID.exec(text);
  return parts === null ? null : parts.slice(1).join("-").toLowerCase();
}

/** In `extra`: the magnitude that was converted, and by what. */
export const CONVERTED_FROM = "converted_from";

const METHOD = `${OWN_AUTHORITY}conversion/`;

/** What does not stand in an id. */
const UNSAFE = /[^\w.-]+/g;

/** The method's id of magnitudes that a conversion made. */
export function conversionMethod(name: string): string {
  return METHOD + name.replaceAll(UNSAFE, "-");
}

/** Whether a magnitude with this method's id was converted here: its row tells it by CONVERTED_FROM. */
export function isConversionMethod(id: string): boolean {
  return id.startsWith(METHOD);
}

/** The method's id of a row's magnitude that was converted; null for another. */
export function methodOfConverted(extra: JsonObject | null): string | null {
  const from: JsonValue | undefined = extra?.[CONVERTED_FROM];
  if (!isJsonObject(from)) return null;
  const { conversion } = from;
  return typeof conversion === "string" && conversion !== "" ? conversionMethod(conversion) : null;
}
