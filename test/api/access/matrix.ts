import { randomUUID } from "node:crypto";
import type { operations } from "#contracts/http/table/operations.ts";
import { newEmail, PASSWORD } from "../support/accounts.ts";
import { seismicEvent } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";

/** What a request is about. */
export type Subjects = {
  readonly catalogue: string;
  readonly otherCatalogue: string;
  readonly event: string;
  readonly share: string;
  /** A result of declustering. */
  readonly labels: string;
  readonly user: string;
  /** A pending role request of somebody else. */
  readonly roleRequest: string;
  readonly email: string;
  /** A parked one. */
  readonly notification: string;
  /** A password reset token of the user. */
  readonly resetToken: string;
};
type Method = "GET" | "POST" | "PATCH" | "DELETE";
export type Level = (typeof LEVELS)[number];
export type Row = {
  readonly level: Level;
  readonly request: (subjects: Subjects) => readonly [Method, string, unknown?];
  readonly success: number;
  /** Where a role that may call is answered otherwise. */
  readonly successOf?: { readonly [L in Level]?: number };
};

/**
 * The lowest role that may call each operation (`contracts/docs/http.md`, Access). The catalogue is
 * private, so reading its events needs a viewer.
 */
export const MATRIX: Record<keyof typeof operations, Row> = {
  listCatalogues: { level: "public", request: () => ["GET", "/api/catalogues"], success: 200 },
  createCatalogue: {
    level: "editor",
    request: () => ["POST", "/api/catalogues", { name: "new", events: [] }],
    success: 201,
  },
  getCatalogue: {
    level: "public",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}`],
    success: 200,
  },
  updateCatalogue: {
    level: "editor",
    request: ({ catalogue }) => ["PATCH", `/api/catalogues/${catalogue}`, { name: "renamed" }],
    success: 200,
  },
  deleteCatalogue: {
    level: "editor",
    request: ({ catalogue }) => ["DELETE", `/api/catalogues/${catalogue}`],
    success: 200,
  },
  exportCatalogue: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/export`],
    success: 200,
  },
  getVersion: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/versions/1`],
    success: 200,
  },
  getCitation: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/versions/1/citation`],
    success: 200,
  },
  getDiff: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/versions/1/diff`],
    success: 200,
  },
  decluster: {
    level: "editor",
    request: ({ catalogue }) => [
      "POST",
      `/api/catalogues/${catalogue}/analytics/decluster`,
      { method: "gardner-knopoff" },
    ],
    success: 200,
  },
  listLabels: {
    level: "viewer",
    request: ({ catalogue, labels }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/decluster/${labels}/events`,
    ],
    success: 200,
  },
  createDeclustered: {
    level: "editor",
    request: ({ catalogue, labels }) => [
      "POST",
      `/api/catalogues/${catalogue}/analytics/decluster/${labels}/catalogue`,
      { name: "main events", role: "main" },
    ],
    success: 201,
  },
  getNearestNeighbours: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/nearest-neighbour`],
    success: 200,
  },
  getAnalyticsSummary: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/summary`],
    success: 200,
  },
  getMagnitudeFrequency: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/magnitude-frequency`,
    ],
    success: 200,
  },
  getCompleteness: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/completeness`],
    success: 200,
  },
  getBValue: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/b-value`],
    success: 200,
  },
  getRates: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/rates`],
    success: 200,
  },
  getMoment: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/moment`],
    success: 200,
  },
  getInterEventTimes: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/inter-event`],
    success: 200,
  },
  getDepths: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/depths`],
    success: 200,
  },
  getDensity: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/density`],
    success: 200,
  },
  getOmori: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/omori?mainshock=2016-11-13T11:02:56Z`,
    ],
    success: 200,
  },
  getQuality: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/quality`],
    success: 200,
  },
  plotMagnitudeFrequency: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/magnitude-frequency.svg`,
    ],
    success: 200,
  },
  plotCompleteness: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/completeness.png`],
    success: 200,
  },
  plotRates: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/rates.svg`],
    success: 200,
  },
  plotTimeMagnitude: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/time-magnitude.png`,
    ],
    success: 200,
  },
  plotDepths: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/depths.svg`],
    success: 200,
  },
  plotOmori: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/omori.png?mainshock=2016-11-13T11:02:56Z`,
    ],
    success: 200,
  },
  plotDensity: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/analytics/density.svg`],
    success: 200,
  },
  plotNearestNeighbour: {
    level: "viewer",
    request: ({ catalogue }) => [
      "GET",
      `/api/catalogues/${catalogue}/analytics/nearest-neighbour.png`,
    ],
    success: 200,
  },
  compareCatalogues: {
    level: "viewer",
    request: ({ catalogue, otherCatalogue }) => [
      "POST",
      "/api/compare",
      { a: catalogue, b: otherCatalogue, timeThreshold: 10, distanceThreshold: 50 },
    ],
    success: 200,
  },
  restoreVersion: {
    level: "editor",
    request: ({ catalogue }) => ["POST", `/api/catalogues/${catalogue}/versions/1/restore`],
    success: 200,
  },
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
  upload: {
    level: "editor",
    request: () => ["POST", "/api/upload", fileForm("time,latitude,longitude\n2020-01-01,1,2\n")],
    success: 200,
  },
  listVersions: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/versions`],
    success: 200,
  },
  createShare: {
    level: "editor",
    request: ({ catalogue }) => ["POST", `/api/catalogues/${catalogue}/shares`, {}],
    success: 201,
  },
  listShares: {
    level: "editor",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/shares`],
    success: 200,
  },
  endShare: {
    level: "editor",
    request: ({ catalogue, share }) => ["DELETE", `/api/catalogues/${catalogue}/shares/${share}`],
    success: 200,
  },
  listEvents: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/events`],
    success: 200,
  },
  filterEvents: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/events/filtered`],
    success: 200,
  },
  getEventColumns: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/events/columns`],
    success: 200,
  },
  addEvents: {
    level: "editor",
    request: ({ catalogue }) => [
      "POST",
      `/api/catalogues/${catalogue}/events`,
      { events: [seismicEvent()] },
    ],
    success: 200,
  },
  getEvent: {
    level: "viewer",
    request: ({ catalogue, event }) => ["GET", `/api/catalogues/${catalogue}/events/${event}`],
    success: 200,
  },
  getEventHistory: {
    level: "viewer",
    request: ({ catalogue, event }) => [
      "GET",
      `/api/catalogues/${catalogue}/events/${event}/history`,
    ],
    success: 200,
  },
  changeEvent: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "PATCH",
      `/api/catalogues/${catalogue}/events/${event}`,
      { magnitude: 5 },
    ],
    success: 200,
  },
  removeEvent: {
    level: "editor",
    request: ({ catalogue, event }) => ["DELETE", `/api/catalogues/${catalogue}/events/${event}`],
    success: 200,
  },
  // There is no agency here: an import into no catalogue asks none.
  importEvents: {
    level: "editor",
    request: () => ["POST", "/api/import/agency", { catalogueId: randomUUID() }],
    success: 404,
  },
  listImports: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/import/history?catalogueId=${catalogue}`],
    success: 200,
  },
  mergeCatalogues: {
    level: "editor",
    request: (subjects) => ["POST", "/api/merge", mergeOf(subjects)],
    success: 200,
  },
  previewMerge: {
    level: "editor",
    request: (subjects) => ["POST", "/api/merge/preview", mergeOf(subjects)],
    success: 200,
  },
  listOperations: { level: "viewer", request: () => ["GET", "/api/operations"], success: 200 },
  // Whose operation it is decides beyond the role: for others there is none.
  getOperation: {
    level: "viewer",
    request: () => ["GET", `/api/operations/${randomUUID()}`],
    success: 404,
  },
  streamOperation: {
    level: "viewer",
    request: () => ["GET", `/api/operations/${randomUUID()}/stream`],
    success: 404,
  },
  cancelOperation: {
    level: "viewer",
    request: () => ["DELETE", `/api/operations/${randomUUID()}`],
    success: 404,
  },
  register: {
    level: "public",
    request: () => [
      "POST",
      "/api/auth/register",
      { name: "Ana", email: newEmail(), password: PASSWORD },
    ],
    success: 201,
  },
  login: {
    level: "public",
    request: ({ email }) => ["POST", "/api/auth/login", { email, password: PASSWORD }],
    success: 200,
  },
  logout: { level: "public", request: () => ["POST", "/api/auth/logout"], success: 200 },
  getSession: { level: "public", request: () => ["GET", "/api/auth/session"], success: 200 },
  changePassword: {
    level: "viewer",
    request: () => [
      "POST",
      "/api/auth/change-password",
      { currentPassword: PASSWORD, newPassword: `${PASSWORD} anew` },
    ],
    success: 200,
  },
  forgotPassword: {
    level: "public",
    request: ({ email }) => ["POST", "/api/auth/forgot-password", { email }],
    success: 200,
  },
  // Nothing is to be set up here: whoever asks learns just that.
  loadSetupSample: {
    level: "public",
    request: () => ["POST", "/api/setup/sample", { code: "any" }],
    success: 404,
  },
  createFirstAdministrator: {
    level: "public",
    request: () => ["POST", "/api/setup/administrator", { code: "any" }],
    success: 404,
  },
  // The sample is there already.
  loadSample: { level: "editor", request: () => ["POST", "/api/sample"], success: 409 },
  resetPassword: {
    level: "public",
    request: ({ resetToken }) => [
      "POST",
      "/api/auth/reset-password",
      { token: resetToken, newPassword: `${PASSWORD} anew` },
    ],
    success: 200,
  },
  deleteUser: {
    level: "admin",
    request: ({ user }) => ["DELETE", `/api/users/${user}`],
    success: 200,
  },
  submitRoleRequest: {
    level: "viewer",
    request: () => [
      "POST",
      "/api/role-requests",
      { requestedRole: "admin", justification: "I keep the network's catalogue." },
    ],
    success: 201,
    // An administrator may call it, and has nothing to ask for.
    successOf: { admin: 400 },
  },
  listOwnRoleRequests: {
    level: "viewer",
    request: () => ["GET", "/api/role-requests/me"],
    success: 200,
  },
  listRoleRequests: {
    level: "admin",
    request: () => ["GET", "/api/role-requests?status=pending"],
    success: 200,
  },
  reviewRoleRequest: {
    level: "admin",
    request: ({ roleRequest }) => [
      "PATCH",
      `/api/role-requests/${roleRequest}`,
      { status: "approved" },
    ],
    success: 200,
  },
  listUsers: { level: "admin", request: () => ["GET", "/api/users"], success: 200 },
  getUser: { level: "admin", request: ({ user }) => ["GET", `/api/users/${user}`], success: 200 },
  updateUser: {
    level: "admin",
    request: ({ user }) => ["PATCH", `/api/users/${user}`, { role: "editor" }],
    success: 200,
  },
  listNotifications: {
    level: "admin",
    request: () => ["GET", "/api/notifications"],
    success: 200,
  },
  retryNotification: {
    level: "admin",
    request: ({ notification }) => ["POST", `/api/notifications/${notification}/retry`],
    success: 202,
  },
  listAudit: { level: "admin", request: () => ["GET", "/api/audit"], success: 200 },
  listParkedEvents: { level: "admin", request: () => ["GET", "/api/parked-events"], success: 200 },
  // Nothing is parked here: who may retry it learns just that.
  retryParkedEvents: {
    level: "admin",
    request: () => ["POST", `/api/parked-events/${randomUUID()}/retry`],
    success: 404,
  },
  getSettings: { level: "public", request: () => ["GET", "/api/settings"], success: 200 },
  getReadiness: { level: "public", request: () => ["GET", "/api/ready"], success: 200 },
  getHealth: { level: "public", request: () => ["GET", "/api/health"], success: 200 },
  getOpenApi: { level: "public", request: () => ["GET", "/api/openapi.json"], success: 200 },
  // Tests come from a loopback address; others are in guard/metrics.
  getMetrics: { level: "public", request: () => ["GET", "/metrics"], success: 200 },
};

/** Lowest first. */
export const LEVELS = ["public", "viewer", "editor", "admin"] as const;

function mergeOf({ catalogue, otherCatalogue }: Subjects) {
  return {
    name: "merged",
    sourceCatalogues: [
      { id: catalogue, source: "one" },
      { id: otherCatalogue, source: "other" },
    ],
    config: { timeThreshold: 1, distanceThreshold: 1, mergeStrategy: "quality", priority: "" },
  };
}
