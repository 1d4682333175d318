import { SQUARE } from "../../regions/region-scene.ts";
import type { Rows } from "./row.ts";

/** Regions; a schedule of the agency of the configuration, which nobody reaches in tests; it is not due before they end. */
export const SCHEDULES = {
  createSchedule: {
    level: "editor",
    request: ({ catalogue }) => [
      "POST",
      "/api/schedules",
      { catalogueId: catalogue, agency: "geonet", everyMinutes: 60, lookbackHours: 24 },
    ],
    success: 201,
  },
  listSchedules: {
    level: "editor",
    request: ({ catalogue }) => ["GET", `/api/schedules?catalogueId=${catalogue}`],
    success: 200,
  },
  getSchedule: {
    level: "editor",
    request: ({ schedule }) => ["GET", `/api/schedules/${schedule}`],
    success: 200,
  },
  updateSchedule: {
    level: "editor",
    request: ({ schedule }) => ["PATCH", `/api/schedules/${schedule}`, { paused: true }],
    success: 200,
  },
  deleteSchedule: {
    level: "editor",
    request: ({ schedule }) => ["DELETE", `/api/schedules/${schedule}`],
    success: 200,
  },
  listRegions: { level: "viewer", request: () => ["GET", "/api/regions"], success: 200 },
  getRegion: {
    level: "viewer",
    request: ({ region }) => ["GET", `/api/regions/${region}`],
    success: 200,
  },
  createRegion: {
    level: "editor",
    request: () => ["POST", "/api/regions", { name: "A square", geometry: SQUARE }],
    success: 201,
  },
  updateRegion: {
    level: "editor",
    request: ({ region }) => ["PATCH", `/api/regions/${region}`, { name: "Another" }],
    success: 200,
  },
  deleteRegion: {
    level: "editor",
    request: ({ region }) => ["DELETE", `/api/regions/${region}`],
    success: 200,
  },
  runSchedule: {
    level: "editor",
    request: ({ schedule }) => ["POST", `/api/schedules/${schedule}/run`],
    success: 202,
  },
} satisfies Rows;
