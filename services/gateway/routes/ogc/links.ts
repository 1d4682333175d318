import { type Link, OPENAPI_30, SCHEMA_JSON } from "#contracts/http/clients/ogc-features.ts";

/** Addresses of OGC API – Features; `asOf` is carried from page to page. */
export type OgcAddresses = ReturnType<typeof ogcAddresses>;

const JSON_TYPE = "application/json";
const QUERYABLES = "http://www.opengis.net/def/rel/ogc/1.0/queryables";
export const GEOJSON = "application/geo+json";

export function ogcAddresses(publicBaseUrl: string, asOf: string | undefined) {
  const root = `${publicBaseUrl}/api/ogc`;
  const suffix = asOf === undefined ? "" : `?${new URLSearchParams({ asOf })}`;
  const collection = (id: string) => `${root}/collections/${id}`;
  return {
    landing: root + suffix,
    definition: `${root}/api${suffix}`,
    conformance: `${root}/conformance${suffix}`,
    collections: `${root}/collections${suffix}`,
    collection: (id: string) => collection(id) + suffix,
    schema: (id: string) => `${collection(id)}/schema${suffix}`,
    queryables: (id: string) => `${collection(id)}/queryables${suffix}`,
    items: (id: string) => `${collection(id)}/items${suffix}`,
    item: (id: string, eventId: string) => `${collection(id)}/items/${eventId}${suffix}`,
    documentation: `${publicBaseUrl}/api/docs`,
    /** Of an answer: as it was asked for, and with a version that a header has asked for. */
    self(url: string): string {
      const address = new URL(publicBaseUrl + url);
      if (asOf !== undefined && !address.searchParams.has("asOf")) {
        address.searchParams.set("asOf", asOf);
      }
      return address.href;
    },
    /** Of a walk: its cursor tells version, filters and place. */
    next: (id: string, cursor: string, limit: number) =>
      `${collection(id)}/items?${new URLSearchParams({ limit: String(limit), cursor })}`,
  };
}

export function landingLinks(to: OgcAddresses): Link[] {
  return [
    { href: to.landing, rel: "self", type: JSON_TYPE, title: "This page" },
    { href: to.definition, rel: "service-desc", type: OPENAPI_30, title: "The API" },
    { href: to.documentation, rel: "service-doc", type: "text/html", title: "Documentation" },
    { href: to.conformance, rel: "conformance", type: JSON_TYPE, title: "Conformance classes" },
    { href: to.collections, rel: "data", type: JSON_TYPE, title: "Collections" },
  ];
}

/** GDAL looks for the schema under `describedBy`, the registered relation is `describedby`. */
export function collectionLinks(to: OgcAddresses, id: string): Link[] {
  return [
    { href: to.collection(id), rel: "self", type: JSON_TYPE },
    { href: to.items(id), rel: "items", type: GEOJSON, title: "The earthquakes" },
    { href: to.queryables(id), rel: QUERYABLES, type: SCHEMA_JSON, title: "What filters may use" },
    { href: to.schema(id), rel: "describedby", type: SCHEMA_JSON },
    { href: to.schema(id), rel: "describedBy", type: SCHEMA_JSON },
  ];
}
