import type { Pool } from "pg";
import type { Registry } from "prom-client";
import type { Config } from "#infra/config/config.ts";
import type { EventReads } from "#projections/queries/event-reads.ts";
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
import { changePasswordHandler } from "./routes/accounts/change-password.ts";
import { deleteUserHandler } from "./routes/accounts/delete-user.ts";
import { forgotPasswordHandler } from "./routes/accounts/forgot-password.ts";
import { getSessionHandler } from "./routes/accounts/get-session.ts";
import { getUserHandler } from "./routes/accounts/get-user.ts";
import { listUsersHandler } from "./routes/accounts/list-users.ts";
import { loginHandler } from "./routes/accounts/login.ts";
import { logoutHandler } from "./routes/accounts/logout.ts";
import { registerHandler } from "./routes/accounts/register.ts";
import { resetPasswordHandler } from "./routes/accounts/reset-password.ts";
import { updateUserHandler } from "./routes/accounts/update-user.ts";
import { listAuditHandler } from "./routes/audit/list-audit.ts";
import { listParkedEventsHandler } from "./routes/audit/list-parked-events.ts";
import { retryParkedEventsHandler } from "./routes/audit/retry-parked-events.ts";
import { createCatalogueHandler } from "./routes/catalogues/create-catalogue.ts";
import { deleteCatalogueHandler } from "./routes/catalogues/delete-catalogue.ts";
import { exportCatalogueHandler } from "./routes/catalogues/export-catalogue.ts";
import { getCatalogueHandler } from "./routes/catalogues/get-catalogue.ts";
import { listCataloguesHandler } from "./routes/catalogues/list-catalogues.ts";
import { listVersionsHandler } from "./routes/catalogues/list-versions.ts";
import { updateCatalogueHandler } from "./routes/catalogues/update-catalogue.ts";
import { addEventsHandler } from "./routes/events/add-events.ts";
import { changeEventHandler } from "./routes/events/change-event.ts";
import { filterEventsHandler } from "./routes/events/filter-events.ts";
import { getEventHandler } from "./routes/events/get-event.ts";
import { getEventHistoryHandler } from "./routes/events/get-event-history.ts";
import { listEventsHandler } from "./routes/events/list-events.ts";
import { removeEventHandler } from "./routes/events/remove-event.ts";
import { importEventsHandler } from "./routes/import/import-events.ts";
import { listImportsHandler } from "./routes/import/list-imports.ts";
import { cancelJobHandler } from "./routes/jobs/cancel-job.ts";
import { getJobHandler } from "./routes/jobs/get-job.ts";
import { streamJobHandler } from "./routes/jobs/stream-job.ts";
import { mergeCataloguesHandler } from "./routes/merge/merge-catalogues.ts";
import { previewMergeHandler } from "./routes/merge/preview-merge.ts";
import { listNotificationsHandler } from "./routes/notifications/list-notifications.ts";
import { retryNotificationHandler } from "./routes/notifications/retry-notification.ts";
import { listOwnRoleRequestsHandler } from "./routes/role-requests/list-own-role-requests.ts";
import { listRoleRequestsHandler } from "./routes/role-requests/list-role-requests.ts";
import { reviewRoleRequestHandler } from "./routes/role-requests/review-role-request.ts";
import { submitRoleRequestHandler } from "./routes/role-requests/submit-role-request.ts";
import { getHealthHandler } from "./routes/service/get-health.ts";
import { getMetricsHandler } from "./routes/service/get-metrics.ts";
import { getOpenApiHandler } from "./routes/service/get-openapi.ts";
import { getReadinessHandler } from "./routes/service/get-readiness.ts";
import { uploadHandler } from "./routes/upload/upload.ts";

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
  return {
    listCatalogues: listCataloguesHandler({ pool }),
    createCatalogue: createCatalogueHandler({ commands, submissions }),
    getCatalogue: getCatalogueHandler({ lookups }),
    updateCatalogue: updateCatalogueHandler({ commands }),
    deleteCatalogue: deleteCatalogueHandler({ commands }),
    exportCatalogue: exportCatalogueHandler({ pool, lookups, exportPool, exporter, now }),
    listVersions: listVersionsHandler({ pool, lookups }),
    listEvents: listEventsHandler({ reads }),
    filterEvents: filterEventsHandler({ reads }),
    addEvents: addEventsHandler({ commands, submissions }),
    getEvent: getEventHandler({ lookups }),
    getEventHistory: getEventHistoryHandler({ pool, lookups }),
    changeEvent: changeEventHandler({ commands }),
    removeEvent: removeEventHandler({ commands }),
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
