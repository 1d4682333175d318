/** The service itself: whether it is ready, what it is set to, its documents and its metrics. */

import { z } from "zod";
import { operation } from "./operation.ts";

export const ReadinessCheck = z.object({
  name: z.string(),
  status: z.enum(["healthy", "unhealthy"]),
  message: z.string().optional(),
  responseTime: z.number().optional().describe("milliseconds"),
});
export type ReadinessCheck = z.infer<typeof ReadinessCheck>;

export const ReadinessReport = z
  .object({
    status: z.enum(["ready", "not_ready"]),
    timestamp: z.string(),
    checks: z.array(ReadinessCheck),
    responseTime: z.string().describe("duration with the suffix ms"),
  })
  .meta({ id: "ReadinessReport" });
export type ReadinessReport = z.infer<typeof ReadinessReport>;

export const getReadiness = operation("GET", "/api/ready", {
  summary: "Readiness; 503 with the same report when a check is unhealthy",
  access: "public",
  rate: "none",
  answer: ReadinessReport,
  failure: { status: 503, schema: ReadinessReport },
});

export const getHealth = operation("GET", "/api/health", {
  summary: "Liveness of this process",
  access: "public",
  rate: "none",
  answer: z.object({ status: z.literal("ok") }),
});

export const getOpenApi = operation("GET", "/api/openapi.json", {
  summary: "This interface as an OpenAPI 3.1 document",
  access: "public",
  answer: z.record(z.string(), z.unknown()),
});

/** Prometheus, "Text format". */
export const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export const getMetrics = operation("GET", "/metrics", {
  summary: "Metrics of this process for Prometheus",
  access: "operators",
  rate: "none",
  answer: z.string(),
  contentTypes: [METRICS_TYPE],
});

/** What a program has to know of this installation. */
const Settings = z
  .object({
    version: z.string().describe("of the service"),
    agencies: z.array(z.string()).describe("names of the agencies that events are imported from"),
    limits: z.object({
      maxBodyBytes: z.int().describe("of a JSON body"),
      maxUploadBytes: z.int().describe("of an uploaded file"),
      maxEventsPerRequest: z.int().describe("seismic events in one request"),
      maxColumnEvents: z.int().describe("seismic events in one answer by column"),
    }),
    registration: z
      .enum(["open", "approval", "closed"])
      .describe(
        "who may make an account: everybody, everybody with an administrator's approval, administrators",
      ),
    signIn: z
      .object({
        passwords: z.boolean().describe("whether people sign in by passwords"),
        institute: z.boolean().describe("whether people sign in with their institute's account"),
      })
      .describe("ways of signing in"),
    tiles: z
      .object({
        url: z.string().describe("with {z}, {x} and {y}"),
        credit: z.string().nullable().describe("text to be shown with the tiles"),
      })
      .nullable()
      .describe("of the map's background; null: none from elsewhere"),
  })
  .meta({ id: "Settings" });

export const getSettings = operation("GET", "/api/settings", {
  summary: "Agencies, limits, map tiles and version of this service",
  access: "public",
  answer: Settings,
});
