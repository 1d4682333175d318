import type { Pool } from "pg";
import type { Registry } from "prom-client";
import type { Config } from "#infra/config/config.ts";
import type { EventReads } from "#projections/queries/events/event-reads.ts";
import { createKnownValues } from "#projections/queries/events/known-values.ts";
import type { AccountContext } from "#services/commands/accounts/account-context.ts";
import type { Importer } from "#services/commands/import/importer.ts";
import type { Merger } from "#services/commands/merge/merger.ts";
import type { SubmissionReader } from "#services/commands/submission/submission-reader.ts";
import type { SignToken } from "./build-app.ts";
import type { Exporter } from "./files/exporter.ts";
import type { UploadParser } from "./files/upload-parser.ts";
import type { Checks } from "./health/readiness.ts";
import type { Handlers } from "./http/handler.ts";
import type { OpenJobs } from "./open-jobs.ts";
import {
  changePasswordHandler,
  forgotPasswordHandler,
  resetPasswordHandler,
} from "./routes/accounts/passwords.ts";
import { registerHandler } from "./routes/accounts/register.ts";
import {
  listOwnRoleRequestsHandler,
  listRoleRequestsHandler,
  reviewRoleRequestHandler,
  submitRoleRequestHandler,
} from "./routes/accounts/role-requests.ts";
import { getSessionHandler, loginHandler, logoutHandler } from "./routes/accounts/sessions.ts";
import {
  deleteUserHandler,
  getUserHandler,
  listUsersHandler,
  updateUserHandler,
} from "./routes/accounts/users.ts";
import {
  listParkedEventsHandler,
  retryParkedEventsHandler,
} from "./routes/audit/blocked-subjects.ts";
import { listAuditHandler } from "./routes/audit/list-audit.ts";
import {
  deleteCatalogueHandler,
  updateCatalogueHandler,
} from "./routes/catalogues/change-catalogue.ts";
import { createCatalogueHandler } from "./routes/catalogues/create-catalogue.ts";
import { exportCatalogueHandler } from "./routes/catalogues/export-catalogue.ts";
import {
  getCatalogueHandler,
  listCataloguesHandler,
  listVersionsHandler,
} from "./routes/catalogues/read-catalogues.ts";
import {
  createShareHandler,
  endShareHandler,
  listSharesHandler,
} from "./routes/catalogues/shares.ts";
import { addEventsHandler } from "./routes/events/add-events.ts";
import { changeEventHandler, removeEventHandler } from "./routes/events/change-event.ts";
import { filterEventsHandler } from "./routes/events/filter-events.ts";
import { listEventsHandler } from "./routes/events/list-events.ts";
import { getEventHandler, getEventHistoryHandler } from "./routes/events/read-event.ts";
import {
  fdsnApplicationJsonHandler,
  fdsnCatalogsHandler,
  fdsnContributorsHandler,
  fdsnVersionHandler,
  fdsnWadlHandler,
} from "./routes/fdsn/documents.ts";
import { fdsnCountHandler, fdsnQueryHandler } from "./routes/fdsn/query.ts";
import { importEventsHandler, listImportsHandler } from "./routes/imports.ts";
import { cancelJobHandler, getJobHandler, streamJobHandler } from "./routes/jobs.ts";
import { mergeCataloguesHandler, previewMergeHandler } from "./routes/merge.ts";
import { listNotificationsHandler, retryNotificationHandler } from "./routes/notifications.ts";
import {
  getOgcCollectionHandler,
  getOgcConformanceHandler,
  getOgcDefinitionHandler,
  getOgcLandingHandler,
  getOgcSchemaHandler,
  listOgcCollectionsHandler,
} from "./routes/ogc/collections.ts";
import { getOgcItemHandler, listOgcItemsHandler } from "./routes/ogc/items.ts";
import {
  getHealthHandler,
  getMetricsHandler,
  getOpenApiHandler,
  getReadinessHandler,
} from "./routes/service.ts";
import { getSummaryFeedHandler } from "./routes/summary-feeds.ts";
import { uploadHandler } from "./routes/upload.ts";

export type HandlerDeps = {
  readonly config: Config;
  readonly context: AccountContext;
  readonly reads: EventReads;
  readonly exportPool: Pool;
  /** For retries of parked events, which write read models. */
  readonly retryPool: Pool;
  readonly exporter: Exporter;
  readonly submissions: SubmissionReader;
  readonly uploads: UploadParser;
  readonly merger: Merger;
  readonly importer: Importer;
  readonly jobs: Pick<OpenJobs, "store" | "runner">;
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal;
  readonly checks: Checks;
  readonly registry: Registry;
  readonly signToken: SignToken;
  readonly document: Record<string, unknown>;
};

/** A handler for every operation of the table. */
export function createHandlers(deps: HandlerDeps): Handlers {
  const { config, context, reads, exportPool, retryPool, exporter, submissions, uploads } = deps;
  const { merger, importer, jobs, stopping } = deps;
  const { store, runner } = jobs;
  const { checks, signToken, document } = deps;
  const { pool, now } = context;
  const lookups = reads.prepared;
  const { publicBaseUrl, sessionDays } = config;
  const commands = context;
  const knownValues = createKnownValues(pool);
  const facade = { ...deps, ...config, pool, lookups, now, knownValues };
  return {
    listCatalogues: listCataloguesHandler({ pool }),
    createCatalogue: createCatalogueHandler({ commands, submissions }),
    getCatalogue: getCatalogueHandler({ lookups }),
    updateCatalogue: updateCatalogueHandler({ commands }),
    deleteCatalogue: deleteCatalogueHandler({ commands }),
    exportCatalogue: exportCatalogueHandler({ pool, lookups, exportPool, exporter, now }),
    listVersions: listVersionsHandler({ pool, lookups }),
    createShare: createShareHandler({ commands, publicBaseUrl }),
    listShares: listSharesHandler({ pool, lookups }),
    endShare: endShareHandler({ commands }),
    listEvents: listEventsHandler({ reads }),
    filterEvents: filterEventsHandler({ reads }),
    addEvents: addEventsHandler({ commands, submissions }),
    getEvent: getEventHandler({ lookups }),
    getEventHistory: getEventHistoryHandler({ pool, lookups }),
    changeEvent: changeEventHandler({ commands }),
    removeEvent: removeEventHandler({ commands }),
    fdsnQuery: fdsnQueryHandler(facade),
    fdsnCount: fdsnCountHandler(facade),
    fdsnCatalogs: fdsnCatalogsHandler(facade),
    fdsnContributors: fdsnContributorsHandler(facade),
    fdsnVersion: fdsnVersionHandler(facade),
    fdsnWadl: fdsnWadlHandler(facade),
    fdsnApplicationJson: fdsnApplicationJsonHandler(facade),
    getOgcLanding: getOgcLandingHandler(facade),
    getOgcDefinition: getOgcDefinitionHandler(facade),
    getOgcConformance: getOgcConformanceHandler(),
    listOgcCollections: listOgcCollectionsHandler(facade),
    getOgcCollection: getOgcCollectionHandler(facade),
    getOgcSchema: getOgcSchemaHandler(facade),
    listOgcItems: listOgcItemsHandler(facade),
    getOgcItem: getOgcItemHandler(facade),
    getSummaryFeed: getSummaryFeedHandler(facade),
    upload: uploadHandler({ uploads }),
    importEvents: importEventsHandler({ context, importer, runner }),
    listImports: listImportsHandler({ pool }),
    mergeCatalogues: mergeCataloguesHandler({ commands, merger, runner }),
    previewMerge: previewMergeHandler({ merger }),
    getOperation: getJobHandler({ store }),
    streamOperation: streamJobHandler({ store, stopping }),
    cancelOperation: cancelJobHandler({ store, runner }),
    register: registerHandler(context),
    login: loginHandler({ context, signToken, sessionDays, publicBaseUrl }),
    logout: logoutHandler({ context, publicBaseUrl }),
    getSession: getSessionHandler(),
    changePassword: changePasswordHandler(context),
    forgotPassword: forgotPasswordHandler(context),
    resetPassword: resetPasswordHandler(context),
    listUsers: listUsersHandler({ pool }),
    getUser: getUserHandler({ pool }),
    updateUser: updateUserHandler(context),
    listNotifications: listNotificationsHandler({ pool }),
    retryNotification: retryNotificationHandler({ pool, now }),
    deleteUser: deleteUserHandler(context),
    submitRoleRequest: submitRoleRequestHandler(context),
    listOwnRoleRequests: listOwnRoleRequestsHandler({ pool }),
    listRoleRequests: listRoleRequestsHandler({ pool }),
    reviewRoleRequest: reviewRoleRequestHandler(context),
    listAudit: listAuditHandler(context),
    listParkedEvents: listParkedEventsHandler({ retryPool }),
    retryParkedEvents: retryParkedEventsHandler({ retryPool, log: context.log }),
    getReadiness: getReadinessHandler({ checks, now }),
    getHealth: getHealthHandler(),
    getOpenApi: getOpenApiHandler({ document }),
    getMetrics: getMetricsHandler({ registry: deps.registry }),
  };
}
