import type { Pool } from "pg";
import type { Registry } from "prom-client";
import type { Operations } from "#contracts/http/table/operations.ts";
import type { Config } from "#infra/config/config.ts";
import type { OpenIdProvider } from "#infra/openid.ts";
import type { JobStore } from "#infra/stores/jobs.ts";
import type { ReadKnownValues } from "#projections/read/clients.ts";
import type { EventReads } from "#projections/read/walk.ts";
import type { Agencies } from "#services/agencies/agencies.ts";
import type { Comparer } from "#services/analytics/comparer.ts";
import type { Declusterer } from "#services/analytics/declusterer.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import type { BulletinWork } from "#services/commands/bulletins/bulletin-work.ts";
import type { Converter } from "#services/commands/conversions/converter.ts";
import type { Importer } from "#services/commands/import/importer.ts";
import type { DecisionWork } from "#services/commands/merge/decisions/decision-work.ts";
import type { Merger } from "#services/commands/merge/merger.ts";
import type { PairFinder } from "#services/commands/merge/pair-finder.ts";
import type { Restorer } from "#services/commands/restore/restorer.ts";
import type { Scheduler } from "#services/commands/schedules/scheduler.ts";
import type { SubmissionReader } from "#services/commands/submission/submission-reader.ts";
import type { JobRunner } from "#services/jobs/job-runner.ts";
import type { VersionHasher } from "#services/versions/version-hasher.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { BodyBudget } from "../capacity/body-budget.ts";
import type { Pressure } from "../capacity/pressure.ts";
import type { StreamPlaces } from "../capacity/stream-places.ts";
import type { Feeds } from "../feed/feeds.ts";
import type { Exporter } from "../files/exporter.ts";
import type { UploadParser } from "../files/upload-parser.ts";
import type { Checks } from "../health/readiness.ts";
import type { Actor, HandlerFrom } from "../http/handler.ts";
import type { KeptAnalyses } from "../http/kept-analyses.ts";
import type { GatewayThreads } from "../threads/gateway-threads.ts";

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
    | "mapTiles"
    | "maxBodyBytes"
    | "maxUploadBytes"
    | "maxEventsPerRequest"
  > & {
    /** For commands. */
    readonly context: AccountContext;
    readonly reads: EventReads;
    /** Of the versions of every catalogue, from the log. */
    readonly versionHistories: VersionHistories;
    readonly versionHasher: VersionHasher;
    /** Connections that exports hold while their clients read. */
    readonly exportPool: Pool;
    /** For retries of parked events, which write read models. */
    readonly retryPool: Pool;
    readonly feeds: Feeds;
    readonly keptAnalyses: KeptAnalyses;
    readonly declusterer: Declusterer;
    readonly threads: GatewayThreads;
    readonly bulletins: BulletinWork;
    readonly exporter: Exporter;
    readonly submissions: Pick<SubmissionReader, "asChunks" | "asReplacement">;
    readonly uploads: Pick<UploadParser, "parse" | "maxFileBytes">;
    readonly decisionWork: DecisionWork;
    readonly merger: Merger;
    readonly pairFinder: PairFinder;
    readonly restorer: Restorer;
    readonly converter: Converter;
    readonly comparer: Comparer;
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

/** Makes the handler of an operation from the dependencies that it needs. */
export type MakeHandler<
  Id extends keyof Operations,
  Needs extends keyof HandlerDeps = "context",
> = HandlerFrom<Pick<HandlerDeps, Needs>, Id>;
