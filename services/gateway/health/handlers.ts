import { COLUMNS_LIMITS } from "#contracts/http/events.ts";
import { METRICS_TYPE } from "#contracts/http/service.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { MakeHandler } from "../../handler-deps.ts";
import { API_VERSION } from "../headers.ts";
import { pressureCheck, readiness } from "./checks.ts";

export const getHealthHandler: MakeHandler<"getHealth", never> = () => async () => ({
  body: { status: "ok" },
});

export const getReadinessHandler: MakeHandler<"getReadiness", "checks" | "now" | "shedding"> =
  ({ checks, now, shedding }) =>
  async () => {
    const report = await readiness({ ...(await checks()), pressure: pressureCheck(shedding) }, now);
    const { success, failure } = operations.getReadiness;
    return { body: report, status: (report.status === "ready" ? success : failure).status };
  };

/** Constants of the process, but for the agencies. */
export const getSettingsHandler: MakeHandler<
  "getSettings",
  | "agencies"
  | "maxBodyBytes"
  | "maxUploadBytes"
  | "maxEventsPerRequest"
  | "registration"
  | "openId"
  | "mapTiles"
> = ({
  agencies,
  maxBodyBytes,
  maxUploadBytes,
  maxEventsPerRequest,
  registration,
  openId,
  mapTiles,
}) => {
  const maxColumnEvents = COLUMNS_LIMITS.events;
  const body = {
    version: API_VERSION,
    limits: { maxBodyBytes, maxUploadBytes, maxEventsPerRequest, maxColumnEvents },
    registration: openId?.only ? "closed" : registration,
    signIn: { passwords: !openId?.only, institute: openId !== null },
    tiles: mapTiles,
  };
  return async () => {
    const asked = await agencies.lately();
    return { body: { ...body, agencies: asked.map(({ name }) => name) } };
  };
};

export const getMetricsHandler: MakeHandler<"getMetrics", "registry"> =
  ({ registry }) =>
  async () => ({
    contentType: METRICS_TYPE,
    text: await registry.metrics(),
  });

export const getOpenApiHandler: MakeHandler<"getOpenApi", "document"> =
  ({ document }) =>
  async () => ({ body: document });
