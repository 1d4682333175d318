import type { Rows } from "./row.ts";

export const CLIENTS = {
  fdsnQuery: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/fdsnws/event/1/query`],
    success: 200,
  },
  fdsnCount: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/fdsnws/event/1/count`],
    success: 200,
  },
  fdsnCatalogs: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/fdsnws/event/1/catalogs`],
    success: 200,
  },
  fdsnContributors: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/fdsnws/event/1/contributors`],
    success: 200,
  },
  fdsnVersion: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/fdsnws/event/1/version`],
    success: 200,
  },
  fdsnWadl: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/fdsnws/event/1/application.wadl`,
    ],
    success: 200,
  },
  fdsnApplicationJson: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/fdsnws/event/1/application.json`,
    ],
    success: 200,
  },
  followCatalogue: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/feed`],
    success: 200,
  },
  followCatalogues: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/feed?catalogue=${catalogue}`],
    success: 200,
  },
  // Asked for without an upgrade.
  followCatalogueBySocket: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/feed/websocket`],
    success: 400,
  },
  followCataloguesBySocket: {
    level: "public",
    request: ({ catalogue }) => ["GET", `/api/feed/websocket?catalogue=${catalogue}`],
    success: 400,
  },
  getOgcLanding: { level: "public", request: () => ["GET", "/api/ogc"], success: 200 },
  getOgcDefinition: { level: "public", request: () => ["GET", "/api/ogc/api"], success: 200 },
  getOgcConformance: {
    level: "public",
    request: () => ["GET", "/api/ogc/conformance"],
    success: 200,
  },
  listOgcCollections: {
    level: "public",
    request: () => ["GET", "/api/ogc/collections"],
    success: 200,
  },
  // A private catalogue is no collection, whoever asks.
  getOgcCollection: {
    level: "public",
    request: ({ catalogue }) => ["GET", `/api/ogc/collections/${catalogue}`],
    success: 404,
  },
  getOgcSchema: {
    level: "public",
    request: ({ catalogue }) => ["GET", `/api/ogc/collections/${catalogue}/schema`],
    success: 404,
  },
  getOgcQueryables: {
    level: "public",
    request: ({ catalogue }) => ["GET", `/api/ogc/collections/${catalogue}/queryables`],
    success: 404,
  },
  listOgcItems: {
    level: "public",
    request: ({ catalogue }) => ["GET", `/api/ogc/collections/${catalogue}/items`],
    success: 404,
  },
  getOgcItem: {
    level: "public",
    request: ({ catalogue, event }) => ["GET", `/api/ogc/collections/${catalogue}/items/${event}`],
    success: 404,
  },
  getSummaryFeed: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/feed/v1.0/summary/all_day.geojson`,
    ],
    success: 200,
  },
  getEventDetail: {
    level: "viewer",
    request: ({ catalogue, event }) => [
      "GET",
      `/api/catalogues/${catalogue}/feed/v1.0/detail/${event}.geojson`,
    ],
    success: 200,
  },
} satisfies Rows;
