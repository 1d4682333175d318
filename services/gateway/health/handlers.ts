import { METRICS_TYPE } from "#contracts/http/service.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { Handlers } from "../../handler.ts";
import type { HandlerDeps } from "../../handler-deps.ts";
import { API_VERSION } from "../headers.ts";
import { pressureCheck, readiness } from "./checks.ts";

export function handlersOfService(deps: HandlerDeps) {
  const { checks, now, shedding, registry, document } = deps;
  return {
    getHealth: async () => ({
      body: { status: "ok" },
    }),

    getReadiness: async () => {
      const report = await readiness(
        { ...(await checks()), pressure: pressureCheck(shedding) },
        now,
      );
      const { status, failure } = operations.getReadiness;
      return { body: report, status: report.status === "ready" ? status : failure.status };
    },

    getSettings: getSettingsHandler(deps),

    getMetrics: async () => ({
      contentType: METRICS_TYPE,
      text: await registry.metrics(),
    }),

    getOpenApi: async () => ({ body: document }),
  } satisfies Partial<Handlers>;
}

/** Constants of the process, but for the agencies. */
const getSettingsHandler: (deps: HandlerDeps) => Handlers["getSettings"] = ({
  agencies,
  maxBodyBytes,
  maxUploadBytes,
  maxEventsPerRequest,
  columnsLimits: { events: maxColumnEvents },
  registration,
  openId,
  mapTiles,
}) => {
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
