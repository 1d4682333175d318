import type { Handlers } from "./http/handler.ts";
import { room } from "./http/room.ts";
import { handlersOfAccounts } from "./routes/accounts/handlers.ts";
import {
  createAgencyHandler,
  deleteAgencyHandler,
  listAgenciesHandler,
  updateAgencyHandler,
} from "./routes/agencies.ts";
import { handlersOfAnalytics } from "./routes/analytics/handlers.ts";
import { handlersOfAudit } from "./routes/audit/handlers.ts";
import { handlersOfCatalogues } from "./routes/catalogues/handlers.ts";
import { handlersOfEvents } from "./routes/events/handlers.ts";
import { handlersOfEventService } from "./routes/fdsn/handlers.ts";
import {
  followCatalogueBySocketHandler,
  followCatalogueHandler,
  followCataloguesBySocketHandler,
  followCataloguesHandler,
} from "./routes/feed.ts";
import { importEventsHandler, listImportsHandler } from "./routes/imports.ts";
import { handlersOfInstitute } from "./routes/institute/handlers.ts";
import { cancelJobHandler, getJobHandler, listJobsHandler } from "./routes/jobs.ts";
import type { HandlerDeps } from "./routes/make-handler.ts";
import {
  evaluateMergeHandler,
  mergeCataloguesHandler,
  previewMergeHandler,
} from "./routes/merge.ts";
import { handlersOfMerges } from "./routes/merges/handlers.ts";
import { listNotificationsHandler, retryNotificationHandler } from "./routes/notifications.ts";
import { handlersOfFeatures } from "./routes/ogc/handlers.ts";
import { handlersOfPlots } from "./routes/plots/handlers.ts";
import {
  createRegionHandler,
  deleteRegionHandler,
  getRegionHandler,
  listRegionsHandler,
  updateRegionHandler,
} from "./routes/regions.ts";
import { handlersOfSchedules } from "./routes/schedules/handlers.ts";
import {
  getHealthHandler,
  getMetricsHandler,
  getOpenApiHandler,
  getReadinessHandler,
  getSettingsHandler,
} from "./routes/service.ts";
import { handlersOfSetup } from "./routes/setup/handlers.ts";
import { streamJobHandler } from "./routes/stream-job.ts";
import { getEventDetailHandler, getSummaryFeedHandler } from "./routes/summary-feeds.ts";
import { uploadHandler } from "./routes/upload.ts";
import { handlersOfVersions } from "./routes/versions/handlers.ts";

const handlersOfOthers = room({
  getSummaryFeed: getSummaryFeedHandler,
  getEventDetail: getEventDetailHandler,
  followCatalogue: followCatalogueHandler,
  followCatalogueBySocket: followCatalogueBySocketHandler,
  followCatalogues: followCataloguesHandler,
  followCataloguesBySocket: followCataloguesBySocketHandler,
  upload: uploadHandler,
  listAgencies: listAgenciesHandler,
  createAgency: createAgencyHandler,
  updateAgency: updateAgencyHandler,
  deleteAgency: deleteAgencyHandler,
  listRegions: listRegionsHandler,
  getRegion: getRegionHandler,
  createRegion: createRegionHandler,
  updateRegion: updateRegionHandler,
  deleteRegion: deleteRegionHandler,
  importEvents: importEventsHandler,
  listImports: listImportsHandler,
  mergeCatalogues: mergeCataloguesHandler,
  previewMerge: previewMergeHandler,
  evaluateMerge: evaluateMergeHandler,
  listOperations: listJobsHandler,
  getOperation: getJobHandler,
  streamOperation: streamJobHandler,
  cancelOperation: cancelJobHandler,
  listNotifications: listNotificationsHandler,
  retryNotification: retryNotificationHandler,
  getSettings: getSettingsHandler,
  getReadiness: getReadinessHandler,
  getHealth: getHealthHandler,
  getOpenApi: getOpenApiHandler,
  getMetrics: getMetricsHandler,
});

/** A handler for every operation of the table. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...handlersOfAccounts(deps),
    ...handlersOfAnalytics(deps),
    ...handlersOfAudit(deps),
    ...handlersOfCatalogues(deps),
    ...handlersOfEvents(deps),
    ...handlersOfEventService(deps),
    ...handlersOfFeatures(deps),
    ...handlersOfInstitute(deps),
    ...handlersOfMerges(deps),
    ...handlersOfPlots(deps),
    ...handlersOfSchedules(deps),
    ...handlersOfSetup(deps),
    ...handlersOfVersions(deps),
    ...handlersOfOthers(deps),
  };
}
