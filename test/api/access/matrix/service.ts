import { randomUUID } from "node:crypto";
import type { Rows } from "./row.ts";

export const SERVICE = {
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
} satisfies Rows;
