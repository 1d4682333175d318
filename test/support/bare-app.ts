import type { FastifyInstance } from "fastify";
import { Registry } from "prom-client";
import { createRecent } from "#infra/kernel/recent.ts";
import { createHttpMetrics } from "#infra/process/metrics.ts";
import type { CatalogueFacts } from "#projections/read/rights.ts";
import { type AppDeps, buildApp } from "#services/gateway/app.ts";
import { createKeptAnswers } from "#services/gateway/kept.ts";
import type { Handlers } from "#services/handler.ts";
import { createVersionHistories } from "#services/versions/history.ts";
import { createInMemoryEventLog } from "./in-memory-event-log.ts";
import { silentLogger } from "./logger.ts";
import { NO_REGIONS } from "./no-regions.ts";

export const BARE_SECRET = "a secret of this test alone, 32 long";

export const NO_TOKENS: AppDeps["accessTokens"] = {
  find: async () => null,
  noteUse: async () => undefined,
};

/** Every catalogue is there, and internal. */
export const INTERNAL_CATALOGUE: CatalogueFacts = {
  id: "00000000-0000-4000-8000-000000000000",
  key: 1,
  version: 1,
  eventCount: 0,
  publicFrom: null,
  isPublic: false,
  isRestricted: false,
  editing: "all",
  parts: false,
  right: null,
  hidden: null,
  seesMore: false,
  name: "",
  metadata: null,
  updatedAt: "2020-01-01T00:00:00.000Z",
};

/** The gateway's application without a service behind it: for what happens before a handler. */
export function buildBareApp(
  handlers: Partial<Handlers> = {},
  {
    config,
    ...deps
  }: Partial<Omit<AppDeps, "config">> & {
    readonly config?: Partial<AppDeps["config"]>;
  } = {},
): Promise<FastifyInstance> {
  return buildApp({
    logger: silentLogger(),
    config: {
      jwtSecret: BARE_SECRET,
      previousJwtSecret: null,
      publicBaseUrl: "http://catalogues.example.org",
      openId: null,
      fdsnCatalogue: null,
      corsOrigins: [],
      trustProxy: false,
      rateLimitReadPerMinute: 0,
      rateLimitPartsPerMinute: 0,
      rateLimitClientsPerMinute: 0,
      rateLimitWritePerMinute: 0,
      rateLimitAuthPer15Minutes: 0,
      maxBodyBytes: 1_000_000,
      maxUploadBytes: 1_000_000,
      ...config,
    },
    bodyBudgetBytes: 10_000_000,
    checkAnswers: true,
    epoch: null,
    versionHistories: createVersionHistories(createInMemoryEventLog()),
    catalogueFacts: async () => INTERNAL_CATALOGUE,
    thereAmong: async (ids) => new Set(ids),
    sharedCatalogue: async () => null,
    regions: NO_REGIONS,
    keptAnswers: createKeptAnswers(createRecent(0), NO_REGIONS, () => new Date()),
    readActor: async () => null,
    accessTokens: NO_TOKENS,
    hiddenFrom: async () => new Set(),
    reservations: {
      reserve: async () => ({ outcome: "running" }),
      finish: async () => undefined,
      sweep: async () => undefined,
    },
    metrics: createHttpMetrics(new Registry()),
    // Operations without a handler are not called.
    createHandlers: () => handlers as Handlers,
    ...deps,
  });
}
