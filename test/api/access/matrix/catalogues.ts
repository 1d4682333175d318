import { randomUUID } from "node:crypto";
import { smallBulletin } from "../../../support/bulletins/small-bulletin.ts";
import { SOME_AGENCY } from "../../support/agencies.ts";
import { seismicEvent } from "../../support/catalogue.ts";
import { fileForm } from "../../support/file-form.ts";
import type { Rows, Subjects } from "./row.ts";

export const CATALOGUES = {
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
  listMembers: {
    level: "admin",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/members`],
    success: 200,
  },
  getRight: {
    level: "viewer",
    request: ({ catalogue }) => ["GET", `/api/catalogues/${catalogue}/right`],
    success: 200,
  },
  setMember: {
    level: "admin",
    request: ({ catalogue, user }) => [
      "PUT",
      `/api/catalogues/${catalogue}/members/${user}`,
      { right: "read" },
    ],
    success: 200,
  },
  removeMember: {
    level: "admin",
    request: ({ catalogue, group }) => ["DELETE", `/api/catalogues/${catalogue}/members/${group}`],
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
  restoreVersion: {
    level: "editor",
    request: ({ catalogue }) => ["POST", `/api/catalogues/${catalogue}/versions/1/restore`],
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
  findDuplicates: {
    level: "editor",
    request: ({ catalogue }) => [
      "POST",
      `/api/catalogues/${catalogue}/duplicates`,
      { timeThreshold: 1, distanceThreshold: 1 },
    ],
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
  getEventsById: {
    level: "public",
    request: ({ event }) => ["GET", `/api/events/by-id/${event}`],
    success: 200,
    // The catalogue is private.
    successOf: { public: 404 },
  },
  getEventHistory: {
    level: "viewer",
    request: ({ catalogue, event }) => [
      "GET",
      `/api/catalogues/${catalogue}/events/${event}/history`,
    ],
    success: 200,
  },
  getArrivals: {
    level: "viewer",
    request: ({ catalogue, event }) => [
      "GET",
      `/api/catalogues/${catalogue}/events/${event}/arrivals`,
    ],
    success: 200,
  },
  getBulletin: {
    level: "viewer",
    request: ({ catalogue, event }) => [
      "GET",
      `/api/catalogues/${catalogue}/events/${event}/bulletin`,
    ],
    success: 200,
  },
  setBulletin: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "PUT",
      `/api/catalogues/${catalogue}/events/${event}/bulletin`,
      { bulletin: smallBulletin() },
    ],
    success: 200,
  },
  preferSolutions: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "PATCH",
      `/api/catalogues/${catalogue}/events/${event}/preferred`,
      { magnitudeID: null },
    ],
    success: 200,
  },
  deleteSolution: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "DELETE",
      `/api/catalogues/${catalogue}/events/${event}/solutions/origin/none`,
    ],
    success: 409,
  },
  addComment: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "POST",
      `/api/catalogues/${catalogue}/events/${event}/comments`,
      { text: "felt widely" },
    ],
    success: 201,
  },
  removeBulletin: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "DELETE",
      `/api/catalogues/${catalogue}/events/${event}/bulletin`,
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
  removeEvents: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "POST",
      `/api/catalogues/${catalogue}/events/remove`,
      { events: [event] },
    ],
    success: 200,
  },
  listConversions: {
    level: "public",
    request: () => ["GET", "/api/conversions"],
    success: 200,
  },
  convertMagnitudes: {
    level: "editor",
    request: ({ catalogue }) => [
      "POST",
      `/api/catalogues/${catalogue}/conversions`,
      { conversions: ["isc-gem-mb"] },
    ],
    success: 200,
  },
  restoreEvent: {
    level: "editor",
    request: ({ catalogue, event }) => [
      "POST",
      `/api/catalogues/${catalogue}/events/${event}/restore`,
      { version: 1 },
    ],
    success: 200,
  },
  listAgencies: { level: "viewer", request: () => ["GET", "/api/agencies"], success: 200 },
  createAgency: {
    level: "admin",
    request: () => ["POST", "/api/agencies", { ...SOME_AGENCY, id: randomUUID() }],
    success: 201,
  },
  updateAgency: {
    level: "admin",
    request: ({ agency }) => ["PATCH", `/api/agencies/${agency}`, { enabled: false }],
    success: 200,
  },
  deleteAgency: {
    level: "admin",
    request: ({ agency }) => ["DELETE", `/api/agencies/${agency}`],
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
  evaluateMerge: {
    level: "editor",
    request: (subjects) => [
      "POST",
      "/api/merge/evaluate",
      { ...mergeOf(subjects), truth: "event", timeThresholds: [1], distanceThresholds: [1] },
    ],
    success: 200,
  },
  previewMerge: {
    level: "editor",
    request: (subjects) => ["POST", "/api/merge/preview", mergeOf(subjects)],
    success: 200,
  },
} satisfies Rows;

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
