import type { Pool } from "pg";
import type { Registry } from "prom-client";
import type { ColumnsLimits } from "#contracts/query/packed-columns.ts";
import type { Config } from "#infra/config/config.ts";
import type { OpenIdProvider } from "#infra/openid.ts";
import type { JobStore } from "#infra/stores/jobs.ts";
import type { ReadKnownValues } from "#projections/read/clients.ts";
import type { EventReads } from "#projections/read/walk.ts";
import type { KeptAnalyses } from "#services/analytics/commands.ts";
import type { Agencies, Importer } from "#services/imports/agencies.ts";
import type { Scheduler } from "#services/imports/schedules.ts";
import type { PairFinder } from "#services/merges/commands.ts";
import type { VersionHasher, VersionHistories } from "#services/versions/history.ts";
import type { AccountContext } from "./context.ts";
import type { BodyBudget } from "./gateway/bodies.ts";
import type { Pressure } from "./gateway/connections.ts";
import type { Feeds } from "./gateway/feed/feeds.ts";
import type { StreamPlaces } from "./gateway/feed/streams.ts";
import type { Checks } from "./gateway/health/checks.ts";
import type { Actor } from "./handler.ts";
import type { GatewayThreads } from "./threads.ts";
import type { JobRunner } from "./works.ts";

/** Signs a user's session token; HS256. */
export type SignToken = (claims: { sub: string; sid: string }, lifetimeSeconds: number) => string;

/** The dependencies of all handlers together. */
export type HandlerDeps = Pick<AccountContext, "pool" | "lookups" | "log" | "now"> &
  Pick<
    Config,
    | "publicBaseUrl"
    | "sessionDays"
    | "registration"
    | "openId"
    | "fdsnCatalogue"
    | "alertAddresses"
    | "mapTiles"
    | "partsDir"
    | "maxBodyBytes"
    | "maxUploadBytes"
    | "maxEventsPerRequest"
  > & {
    /** For commands. */
    readonly context: AccountContext;
    readonly reads: EventReads;
    /** Of the versions of every catalogue, from the log. */
    readonly versionHistories: VersionHistories;
    readonly hashVersion: VersionHasher;
    /** Connections that exports hold while their clients read. */
    readonly exportPool: Pool;
    readonly columnsLimits: ColumnsLimits;
    /** For retries of parked events, which write read models. */
    readonly retryPool: Pool;
    readonly feeds: Feeds;
    readonly keptAnalyses: KeptAnalyses;
    readonly threads: GatewayThreads;
    /** The merges whose refreshes of this process run or wait, by id. */
    readonly refreshing: Set<string>;
    readonly keepPairs: PairFinder;
    readonly importer: Importer;
    readonly agencies: Agencies;
    readonly scheduler: Scheduler;
    readonly knownValues: ReadKnownValues;
    readonly store: JobStore;
    readonly runner: JobRunner;
    readonly streamPlaces: StreamPlaces;
    /** A caller as it is now; null once its session or access token is refused. */
    readonly readActorAgain: (actor: Actor) => Promise<Actor | null>;
    /** Aborts when the gateway stops. */
    readonly stopping: AbortSignal;
    readonly checks: () => Promise<Checks>;
    readonly registry: Pick<Registry, "metrics">;
    readonly signToken: SignToken;
    /** Signs what browsers keep between two steps. */
    readonly jwtSecret: string;
    /** Of the institute's sign-in; null without one. */
    readonly provider: OpenIdProvider;
    readonly keepBody: BodyBudget["keep"];
    readonly shedding: Pressure;
    /** What the link for setting up has in it; null where nothing can be set up by a link. */
    readonly setupCode: string | null;
    /** The OpenAPI document. */
    readonly document: Record<string, unknown>;
  };
