import { randomUUID } from "node:crypto";
import type { operations } from "#contracts/http/table/operations.ts";
import { smallBulletin } from "../bulletins/small-bulletin.ts";
import { newEmail, PASSWORD } from "./accounts.ts";
import { SOME_AGENCY } from "./agencies.ts";
import { seismicEvent } from "./catalogue.ts";
import { fileForm } from "./file-form.ts";

/** What a request is about. */
export type Subjects = {
  readonly catalogue: string;
  readonly otherCatalogue: string;
  readonly event: string;
  readonly share: string;
  /** One of the catalogue's. */
  readonly schedule: string;
  /** A merge of the catalogue and the other one. */
  readonly merge: string;
  /** One of the merge's. */
  readonly decision: string;
  /** A result of declustering. */
  readonly labels: string;
  readonly user: string;
  /** A group of users, a member of the catalogue where there is one. */
  readonly group: string;
  /** An agency that was added. */
  readonly agency: string;
  /** A saved region. */
  readonly region: string;
  /** A pending role request of somebody else. */
  readonly roleRequest: string;
  readonly email: string;
  /** A parked one. */
  readonly notification: string;
  /** One of the user's. */
  readonly accessToken: string;
  /** A password reset token of the user. */
  readonly resetToken: string;
};

/** Lowest first. */
export const LEVELS = ["public", "viewer", "editor", "admin"] as const;
export type Level = (typeof LEVELS)[number];
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** Where a role that may call is answered otherwise. */
type SuccessOf = { readonly [L in Level]?: number };
export type Row = {
  readonly level: Level;
  readonly request: (subjects: Subjects) => readonly [Method, string, unknown?];
  readonly success: number;
  readonly successOf?: SuccessOf | undefined;
};

/** @param body a function where it names subjects, or is another each time */
function row(
  level: Level,
  address: `${Method} ${string}`,
  success = 200,
  body?: Readonly<Record<string, unknown>> | ((subjects: Subjects) => unknown),
  successOf?: SuccessOf,
): Row {
  const [method, path = ""] = address.split(" ");
  const request: Row["request"] = (subjects) => [
    method as Method,
    path.replaceAll(/\{(\w+)\}/g, (_, name) => subjects[name as keyof Subjects]),
    typeof body === "function" ? body(subjects) : body,
  ];
  return { level, request, success, successOf };
}

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

function alertOf({ catalogue }: Subjects) {
  // It tells nothing in tests: there are no changes after it.
  return { name: "All of it", catalogues: [catalogue], to: { kind: "mail" }, active: false };
}

const SQUARE_EDGE = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
  [0, 0],
];
export const SQUARE = { type: "Polygon", coordinates: [SQUARE_EDGE] };
const NOBODYS = randomUUID();
const HASH = "0".repeat(64);
const C = "/api/catalogues/{catalogue}";
const E = `${C}/events/{event}`;
const M = "/api/catalogues/{merge}/merge";

/**
 * The lowest role that may call each operation (`contracts/docs/http.md`, Access), what it is asked, and the status of
 * success. The catalogue is private, so reading its events needs a viewer.
 */
export const MATRIX: Record<keyof typeof operations, Row> = {
  listCatalogues: row("public", "GET /api/catalogues"),
  createCatalogue: row("editor", "POST /api/catalogues", 201, { name: "new", events: [] }),
  getCatalogue: row("public", `GET ${C}`),
  updateCatalogue: row("editor", `PATCH ${C}`, 200, { name: "renamed" }),
  deleteCatalogue: row("editor", `DELETE ${C}`),
  listMembers: row("admin", `GET ${C}/members`),
  getRight: row("viewer", `GET ${C}/right`),
  setMember: row("admin", `PUT ${C}/members/{user}`, 200, { right: "read" }),
  removeMember: row("admin", `DELETE ${C}/members/{group}`),
  exportCatalogue: row("viewer", `GET ${C}/export`),
  // It has no parts; of one that has, test/api/parts tells who reads them.
  getPartsManifest: row("viewer", `GET ${C}/parts/manifest.json`, 404),
  getBasePart: row("viewer", `GET ${C}/parts/base/year=2016/${HASH}.parquet`, 404),
  getPart: row("viewer", `GET ${C}/parts/overview/${HASH}.parquet`, 404),
  getVersion: row("viewer", `GET ${C}/versions/1`),
  getCitation: row("viewer", `GET ${C}/versions/1/citation`),
  getDiff: row("viewer", `GET ${C}/versions/1/diff`),
  restoreVersion: row("editor", `POST ${C}/versions/1/restore`),
  upload: row("editor", "POST /api/upload", 200, () =>
    fileForm("time,latitude,longitude\n2020-01-01,1,2\n"),
  ),
  listVersions: row("viewer", `GET ${C}/versions`),
  createShare: row("editor", `POST ${C}/shares`, 201, {}),
  listShares: row("editor", `GET ${C}/shares`),
  endShare: row("editor", `DELETE ${C}/shares/{share}`),
  listEvents: row("viewer", `GET ${C}/events`),
  filterEvents: row("viewer", `GET ${C}/events/filtered`),
  getEventColumns: row("viewer", `GET ${C}/events/columns`),
  findDuplicates: row("editor", `POST ${C}/duplicates`, 200, {
    timeThreshold: 1,
    distanceThreshold: 1,
  }),
  addEvents: row("editor", `POST ${C}/events`, 200, { events: [seismicEvent()] }),
  getEvent: row("viewer", `GET ${E}`),
  // The catalogue is private.
  getEventsById: row("public", "GET /api/events/by-id/{event}", 200, undefined, { public: 404 }),
  getEventHistory: row("viewer", `GET ${E}/history`),
  getArrivals: row("viewer", `GET ${E}/arrivals`),
  getBulletin: row("viewer", `GET ${E}/bulletin`),
  setBulletin: row("editor", `PUT ${E}/bulletin`, 200, { bulletin: smallBulletin() }),
  preferSolutions: row("editor", `PATCH ${E}/preferred`, 200, { magnitudeID: null }),
  deleteSolution: row("editor", `DELETE ${E}/solutions/origin/none`, 409),
  addComment: row("editor", `POST ${E}/comments`, 201, { text: "felt widely" }),
  removeBulletin: row("editor", `DELETE ${E}/bulletin`),
  changeEvent: row("editor", `PATCH ${E}`, 200, { magnitude: 5 }),
  removeEvent: row("editor", `DELETE ${E}`),
  removeEvents: row("editor", `POST ${C}/events/remove`, 200, ({ event }) => ({ events: [event] })),
  listConversions: row("public", "GET /api/conversions"),
  convertMagnitudes: row("editor", `POST ${C}/conversions`, 200, { conversions: ["isc-gem-mb"] }),
  restoreEvent: row("editor", `POST ${E}/restore`, 200, { version: 1 }),
  listAgencies: row("viewer", "GET /api/agencies"),
  createAgency: row("admin", "POST /api/agencies", 201, () => ({
    ...SOME_AGENCY,
    id: randomUUID(),
  })),
  updateAgency: row("admin", "PATCH /api/agencies/{agency}", 200, { enabled: false }),
  deleteAgency: row("admin", "DELETE /api/agencies/{agency}"),
  // There is no agency here: an import into no catalogue asks none.
  importEvents: row("editor", "POST /api/import/agency", 404, { catalogueId: NOBODYS }),
  listImports: row("viewer", "GET /api/import/history?catalogueId={catalogue}"),
  mergeCatalogues: row("editor", "POST /api/merge", 200, mergeOf),
  evaluateMerge: row("editor", "POST /api/merge/evaluate", 200, (subjects) => ({
    ...mergeOf(subjects),
    truth: "event",
    timeThresholds: [1],
    distanceThresholds: [1],
  })),
  previewMerge: row("editor", "POST /api/merge/preview", 200, mergeOf),
  decluster: row("editor", `POST ${C}/analytics/decluster`, 200, { method: "gardner-knopoff" }),
  listLabels: row("viewer", `GET ${C}/analytics/decluster/{labels}/events`),
  createDeclustered: row("editor", `POST ${C}/analytics/decluster/{labels}/catalogue`, 201, {
    name: "main events",
    role: "main",
  }),
  getNearestNeighbours: row("viewer", `GET ${C}/analytics/nearest-neighbour`),
  getAnalyticsSummary: row("viewer", `GET ${C}/analytics/summary`),
  getMagnitudeFrequency: row("viewer", `GET ${C}/analytics/magnitude-frequency`),
  getCompleteness: row("viewer", `GET ${C}/analytics/completeness`),
  getBValue: row("viewer", `GET ${C}/analytics/b-value`),
  getRates: row("viewer", `GET ${C}/analytics/rates`),
  getMoment: row("viewer", `GET ${C}/analytics/moment`),
  getInterEventTimes: row("viewer", `GET ${C}/analytics/inter-event`),
  getDepths: row("viewer", `GET ${C}/analytics/depths`),
  getDensity: row("viewer", `GET ${C}/analytics/density`),
  getOmori: row("viewer", `GET ${C}/analytics/omori?mainshock=2016-11-13T11:02:56Z`),
  getQuality: row("viewer", `GET ${C}/analytics/quality`),
  plotMagnitudeFrequency: row("viewer", `GET ${C}/analytics/magnitude-frequency.svg`),
  plotCompleteness: row("viewer", `GET ${C}/analytics/completeness.png`),
  plotRates: row("viewer", `GET ${C}/analytics/rates.svg`),
  plotTimeMagnitude: row("viewer", `GET ${C}/analytics/time-magnitude.png`),
  plotDepths: row("viewer", `GET ${C}/analytics/depths.svg`),
  plotOmori: row("viewer", `GET ${C}/analytics/omori.png?mainshock=2016-11-13T11:02:56Z`),
  plotDensity: row("viewer", `GET ${C}/analytics/density.svg`),
  plotNearestNeighbour: row("viewer", `GET ${C}/analytics/nearest-neighbour.png`),
  compareCatalogues: row("viewer", "POST /api/compare", 200, ({ catalogue, otherCatalogue }) => ({
    a: catalogue,
    b: otherCatalogue,
    timeThreshold: 10,
    distanceThreshold: 50,
  })),
  fdsnQuery: row("viewer", `GET ${C}/fdsnws/event/1/query`),
  fdsnCount: row("viewer", `GET ${C}/fdsnws/event/1/count`),
  fdsnCatalogs: row("viewer", `GET ${C}/fdsnws/event/1/catalogs`),
  fdsnContributors: row("viewer", `GET ${C}/fdsnws/event/1/contributors`),
  fdsnVersion: row("viewer", `GET ${C}/fdsnws/event/1/version`),
  fdsnWadl: row("viewer", `GET ${C}/fdsnws/event/1/application.wadl`),
  fdsnApplicationJson: row("viewer", `GET ${C}/fdsnws/event/1/application.json`),
  followCatalogue: row("viewer", `GET ${C}/feed`),
  followCatalogues: row("viewer", "GET /api/feed?catalogue={catalogue}"),
  // Asked for without an upgrade.
  followCatalogueBySocket: row("viewer", `GET ${C}/feed/websocket`, 400),
  followCataloguesBySocket: row("public", "GET /api/feed/websocket?catalogue={catalogue}", 400),
  getOgcLanding: row("public", "GET /api/ogc"),
  getOgcDefinition: row("public", "GET /api/ogc/api"),
  getOgcConformance: row("public", "GET /api/ogc/conformance"),
  listOgcCollections: row("public", "GET /api/ogc/collections"),
  // A private catalogue is no collection, whoever asks.
  getOgcCollection: row("public", "GET /api/ogc/collections/{catalogue}", 404),
  getOgcSchema: row("public", "GET /api/ogc/collections/{catalogue}/schema", 404),
  getOgcQueryables: row("public", "GET /api/ogc/collections/{catalogue}/queryables", 404),
  listOgcItems: row("public", "GET /api/ogc/collections/{catalogue}/items", 404),
  getOgcItem: row("public", "GET /api/ogc/collections/{catalogue}/items/{event}", 404),
  getSummaryFeed: row("viewer", `GET ${C}/feed/v1.0/summary/all_day.geojson`),
  getEventDetail: row("viewer", `GET ${C}/feed/v1.0/detail/{event}.geojson`),
  register: row("public", "POST /api/auth/register", 201, () => ({
    name: "Ana",
    email: newEmail(),
    password: PASSWORD,
  })),
  login: row("public", "POST /api/auth/login", 200, ({ email }) => ({ email, password: PASSWORD })),
  logout: row("public", "POST /api/auth/logout"),
  getSession: row("public", "GET /api/auth/session"),
  // Without an institute's sign-in.
  beginOpenId: row("public", "GET /api/auth/oidc", 404),
  finishOpenId: row("public", "GET /api/auth/oidc/callback?state=any&code=any", 404),
  joinOpenId: row("public", "POST /api/auth/oidc/join", 404, { password: PASSWORD }),
  changePassword: row("viewer", "POST /api/auth/change-password", 200, {
    currentPassword: PASSWORD,
    newPassword: `${PASSWORD} anew`,
  }),
  forgotPassword: row("public", "POST /api/auth/forgot-password", 200, ({ email }) => ({ email })),
  resetPassword: row("public", "POST /api/auth/reset-password", 200, ({ resetToken }) => ({
    token: resetToken,
    newPassword: `${PASSWORD} anew`,
  })),
  deleteUser: row("admin", "DELETE /api/users/{user}"),
  // An administrator may call it, and has nothing to ask for.
  submitRoleRequest: row(
    "viewer",
    "POST /api/role-requests",
    201,
    { requestedRole: "admin", justification: "I keep the network's catalogue." },
    { admin: 400 },
  ),
  listOwnRoleRequests: row("viewer", "GET /api/role-requests/me"),
  listRoleRequests: row("admin", "GET /api/role-requests?status=pending"),
  reviewRoleRequest: row("admin", "PATCH /api/role-requests/{roleRequest}", 200, {
    status: "approved",
  }),
  createUser: row("admin", "POST /api/users", 201, () => ({ name: "Ana", email: newEmail() })),
  createToken: row("viewer", "POST /api/tokens", 201, { name: "A script", scopes: ["read"] }),
  listTokens: row("viewer", "GET /api/tokens"),
  // It is somebody else's.
  endToken: row("viewer", "DELETE /api/tokens/{accessToken}", 200, undefined, {
    viewer: 404,
    editor: 404,
  }),
  listGroups: row("admin", "GET /api/groups"),
  getGroup: row("admin", "GET /api/groups/{group}"),
  createGroup: row("admin", "POST /api/groups", 201, ({ user }) => ({
    name: "Analysts",
    members: [user],
  })),
  updateGroup: row("admin", "PATCH /api/groups/{group}", 200, { members: [] }),
  deleteGroup: row("admin", "DELETE /api/groups/{group}"),
  createAlert: row("viewer", "POST /api/alerts", 201, alertOf),
  listAlerts: row("viewer", "GET /api/alerts"),
  // No link was sent.
  confirmAlert: row("public", "GET /api/alerts/confirm?token=none", 404),
  // Whose alert it is decides beyond the role: for others there is none.
  getAlert: row("viewer", `GET /api/alerts/${NOBODYS}`, 404),
  updateAlert: row("viewer", `PATCH /api/alerts/${NOBODYS}`, 404, { active: false }),
  deleteAlert: row("viewer", `DELETE /api/alerts/${NOBODYS}`, 404),
  listAlertDeliveries: row("viewer", `GET /api/alerts/${NOBODYS}/deliveries`, 404),
  retryAlertDelivery: row("viewer", `POST /api/alerts/${NOBODYS}/deliveries/${NOBODYS}/retry`, 404),
  testAlert: row("viewer", `POST /api/alerts/${NOBODYS}/test`, 404),
  previewAlert: row("viewer", "POST /api/alerts/preview", 200, alertOf),
  listUsers: row("admin", "GET /api/users"),
  getUser: row("admin", "GET /api/users/{user}"),
  updateUser: row("admin", "PATCH /api/users/{user}", 200, { role: "editor" }),
  // Of the agency of the configuration, which nobody reaches in tests; it is not due before they end.
  createSchedule: row("editor", "POST /api/schedules", 201, ({ catalogue }) => ({
    catalogueId: catalogue,
    agency: "geonet",
    everyMinutes: 60,
    lookbackHours: 24,
  })),
  listSchedules: row("editor", "GET /api/schedules?catalogueId={catalogue}"),
  getSchedule: row("editor", "GET /api/schedules/{schedule}"),
  updateSchedule: row("editor", "PATCH /api/schedules/{schedule}", 200, { paused: true }),
  deleteSchedule: row("editor", "DELETE /api/schedules/{schedule}"),
  listRegions: row("viewer", "GET /api/regions"),
  getRegion: row("viewer", "GET /api/regions/{region}"),
  createRegion: row("editor", "POST /api/regions", 201, { name: "A square", geometry: SQUARE }),
  updateRegion: row("editor", "PATCH /api/regions/{region}", 200, { name: "Another" }),
  deleteRegion: row("editor", "DELETE /api/regions/{region}"),
  runSchedule: row("editor", "POST /api/schedules/{schedule}/run", 202),
  getMerge: row("viewer", `GET ${M}`),
  previewRefresh: row("editor", `POST ${M}/preview`, 200, {}),
  refreshMerge: row("editor", `POST ${M}/refresh`, 200, {}),
  setDecisions: row("editor", `PUT ${M}/decisions`, 200, { decisions: [] }),
  // There are no such events: nothing is decided.
  makeDecision: row("editor", `POST ${M}/decisions`, 400, ({ catalogue, otherCatalogue }) => ({
    type: "same",
    events: [catalogue, otherCatalogue].map((id) => ({ catalogue_id: id, event_id: NOBODYS })),
  })),
  withdrawDecision: row("editor", `DELETE ${M}/decisions/{decision}`),
  listReviewPairs: row("editor", `GET ${M}/review`),
  // There is no such pair.
  reviewPair: row("editor", `PUT ${M}/review/${NOBODYS}.${NOBODYS}`, 404, { claim: true }),
  listOperations: row("viewer", "GET /api/operations"),
  // Whose operation it is decides beyond the role: for others there is none.
  getOperation: row("viewer", `GET /api/operations/${NOBODYS}`, 404),
  streamOperation: row("viewer", `GET /api/operations/${NOBODYS}/stream`, 404),
  cancelOperation: row("viewer", `DELETE /api/operations/${NOBODYS}`, 404),
  // Nothing is to be set up here: whoever asks learns just that.
  loadSetupSample: row("public", "POST /api/setup/sample", 404, { code: "any" }),
  createFirstAdministrator: row("public", "POST /api/setup/administrator", 404, { code: "any" }),
  // The sample is there already.
  loadSample: row("editor", "POST /api/sample", 409),
  listNotifications: row("admin", "GET /api/notifications"),
  retryNotification: row("admin", "POST /api/notifications/{notification}/retry", 202),
  listAudit: row("admin", "GET /api/audit"),
  listParkedEvents: row("admin", "GET /api/parked-events"),
  // Nothing is parked here: who may retry it learns just that.
  retryParkedEvents: row("admin", `POST /api/parked-events/${NOBODYS}/retry`, 404),
  getSettings: row("public", "GET /api/settings"),
  getReadiness: row("public", "GET /api/ready"),
  getHealth: row("public", "GET /api/health"),
  getOpenApi: row("public", "GET /api/openapi.json"),
  // Tests come from a loopback address; others are in guard/metrics.
  getMetrics: row("public", "GET /metrics"),
};
