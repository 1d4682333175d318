import { Refusal } from "#contracts/errors.ts";
import { featureFiltersOf, ITEMS_LIMIT, type Link } from "#contracts/http/clients.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { EXPORT_FIELDS, type ExportRow } from "#infra/formats/format-writer.ts";
import { featureOf } from "#infra/formats/json/writer.ts";
import { AS_FEATURES } from "#projections/read/clients.ts";
import { priceOf } from "#projections/read/conditions.ts";
import { readEvent } from "#projections/read/events.ts";
import { countExported } from "#projections/read/exports.ts";
import { decodeCursor } from "#projections/read/pages.ts";
import { asGuest, type Reader } from "#projections/read/rights.ts";
import { resolveVersion } from "#projections/read/versions.ts";
import { type EventReads, walkEvents } from "#projections/read/walk.ts";
import type { AnswerPieces, Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { versionTag } from "../headers.ts";
import { readsFor } from "../turns.ts";
import {
  GEOJSON,
  handlersOfCollections,
  type OgcAddresses,
  ogcAddresses,
} from "./ogc-collections.ts";

export function handlersOfFeatures(deps: HandlerDeps) {
  const { lookups, publicBaseUrl } = deps;
  return {
    ...handlersOfCollections(deps),

    listOgcItems: listOgcItemsHandler(deps),

    getOgcItem: async ({ params: { id, eventId }, query: { asOf }, reader }) => {
      const request = { catalogueId: id, eventId, asOf, reader: asGuest(reader) };
      const { event, version } = await asCollection(() => readEvent(lookups, request));
      const to = ogcAddresses(publicBaseUrl, asOf);
      const links: Link[] = [
        { href: to.item(id, eventId), rel: "self", type: GEOJSON },
        { href: to.collection(id), rel: "collection", type: "application/json" },
      ];
      return {
        contentType: GEOJSON,
        headers: { etag: versionTag(version.version) },
        shown: version,
        isPublic: true,
        text: featureOf(rowOf(event), `,"links":${JSON.stringify(links)}`),
      };
    },
  } satisfies Partial<Handlers>;
}

/** Only a walk's first page tells how many match: counting them costs as much as reading them. */
const listOgcItemsHandler: (deps: HandlerDeps) => Handlers["listOgcItems"] = (deps) => {
  const { publicBaseUrl, now } = deps;
  return async ({ params: { id }, query, reader: caller, turn, asker, url }) => {
    const reads = readsFor(deps.reads, { turn, asker });
    const reader = asGuest(caller);
    const { asOf, limit: most, cursor: text, ...selection } = query;
    const cursor = text === undefined ? null : decodeCursor(text);
    const filters = featureFiltersOf(selection);
    const limit = Math.min(most ?? cursor?.limit ?? ITEMS_LIMIT, ITEMS_LIMIT);
    const walk = {
      catalogueId: id,
      asOf,
      reader,
      walk: "features",
      order: undefined,
      filters,
      limit,
      cursor,
    } as const;
    const page = await asCollection(() => walkEvents(reads, walk, AS_FEATURES));
    const { events, version, shown, nextCursor } = page;
    const matched = cursor === null ? await countAt(reads, id, { version, reader }, filters) : null;
    const to = ogcAddresses(publicBaseUrl, asOf);
    const head = {
      type: "FeatureCollection",
      timeStamp: now().toISOString(),
      ...(matched !== null && { numberMatched: matched }),
      numberReturned: events.count,
      links: pageLinks(to, id, {
        self: to.self(url),
        next: nextCursor && to.next(id, nextCursor, limit),
      }),
    };
    return {
      contentType: GEOJSON,
      headers: { etag: versionTag(version) },
      shown,
      isPublic: true,
      open: () => collectionOf(head, events.json),
    };
  };
};

/** Of the version that was read, whichever is the latest by now. */
async function countAt(
  { prepared, search }: EventReads,
  catalogueId: string,
  { version, reader }: { readonly version: number; readonly reader: Reader },
  filters: EventFilters,
): Promise<number> {
  if (version === 0) return 0;
  const of = { catalogueId, asOf: String(version), reader };
  const counted = await resolveVersion(prepared, of);
  const cost = { price: priceOf({ rows: counted.eventCount, filters }), events: 0 };
  return search(cost, (pool) => countExported(pool, { version: counted, filters }));
}

/** A private catalogue is no collection, so there it is not found. */
async function asCollection<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "UNAUTHENTICATED") throw error;
    throw new Refusal("NOT_FOUND", "There is no such collection", { cause: error });
  }
}

type Pages = { readonly self: string; readonly next: string | null };

function pageLinks(to: OgcAddresses, id: string, { self, next }: Pages): Link[] {
  return [
    { href: self, rel: "self", type: GEOJSON },
    { href: to.collection(id), rel: "collection", type: "application/json" },
    ...(next === null ? [] : [{ href: next, rel: "next", type: GEOJSON }]),
  ];
}

async function* collectionOf(head: object, features: readonly Buffer[]): AnswerPieces {
  yield `${JSON.stringify(head).slice(0, -1)},"features":[\n`;
  for (const [i, feature] of features.entries()) {
    if (i > 0) yield ",\n";
    yield feature;
  }
  yield "\n]}\n";
}

function rowOf(event: SeismicEvent): ExportRow {
  return EXPORT_FIELDS.map((name) => {
    const value = event[name];
    if (value === null || value === undefined) return null;
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  });
}
