import type { Handlers } from "./http/handler.ts";
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
import { getBValueHandler } from "./routes/analytics/b-value.ts";
import { compareCataloguesHandler } from "./routes/analytics/compare.ts";
import { getCompletenessHandler } from "./routes/analytics/completeness.ts";
import {
  createDeclusteredHandler,
  declusterHandler,
  listLabelsHandler,
} from "./routes/analytics/decluster.ts";
import { getDensityHandler } from "./routes/analytics/density.ts";
import { getDepthsHandler } from "./routes/analytics/depths.ts";
import { getInterEventTimesHandler } from "./routes/analytics/inter-event.ts";
import { getMagnitudeFrequencyHandler } from "./routes/analytics/magnitude-frequency.ts";
import { getMomentHandler } from "./routes/analytics/moment.ts";
import { getNearestNeighboursHandler } from "./routes/analytics/nearest-neighbour.ts";
import { getOmoriHandler } from "./routes/analytics/omori.ts";
import { getQualityHandler } from "./routes/analytics/quality.ts";
import { getRatesHandler } from "./routes/analytics/rates.ts";
import { getAnalyticsSummaryHandler } from "./routes/analytics/summary.ts";
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
import { getEventColumnsHandler } from "./routes/events/event-columns.ts";
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
import {
  followCatalogueBySocketHandler,
  followCatalogueHandler,
  followCataloguesBySocketHandler,
  followCataloguesHandler,
} from "./routes/feed.ts";
import { importEventsHandler, listImportsHandler } from "./routes/imports.ts";
import { cancelJobHandler, getJobHandler, listJobsHandler } from "./routes/jobs.ts";
import type { HandlerDeps } from "./routes/make-handler.ts";
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
  plotCompletenessHandler,
  plotMagnitudeFrequencyHandler,
} from "./routes/plots/plot-magnitudes.ts";
import {
  plotDensityHandler,
  plotDepthsHandler,
  plotNearestNeighbourHandler,
  plotOmoriHandler,
  plotRatesHandler,
} from "./routes/plots/plot-one.ts";
import { plotTimeMagnitudeHandler } from "./routes/plots/plot-time-magnitude.ts";
import {
  getHealthHandler,
  getMetricsHandler,
  getOpenApiHandler,
  getReadinessHandler,
  getSettingsHandler,
} from "./routes/service.ts";
import {
  createFirstAdministratorHandler,
  loadSampleHandler,
  loadSetupSampleHandler,
} from "./routes/setup/setup.ts";
import { streamJobHandler } from "./routes/stream-job.ts";
import { getEventDetailHandler, getSummaryFeedHandler } from "./routes/summary-feeds.ts";
import { uploadHandler } from "./routes/upload.ts";
import { getCitationHandler } from "./routes/versions/citation.ts";
import { getDiffHandler } from "./routes/versions/diff.ts";
import { getVersionHandler } from "./routes/versions/record.ts";
import { restoreVersionHandler } from "./routes/versions/restore.ts";

/** A handler for every operation of the table. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    listCatalogues: listCataloguesHandler(deps),
    createCatalogue: createCatalogueHandler(deps),
    getCatalogue: getCatalogueHandler(deps),
    updateCatalogue: updateCatalogueHandler(deps),
    deleteCatalogue: deleteCatalogueHandler(deps),
    exportCatalogue: exportCatalogueHandler(deps),
    listVersions: listVersionsHandler(deps),
    getVersion: getVersionHandler(deps),
    getCitation: getCitationHandler(deps),
    getDiff: getDiffHandler(deps),
    restoreVersion: restoreVersionHandler(deps),
    createShare: createShareHandler(deps),
    listShares: listSharesHandler(deps),
    endShare: endShareHandler(deps),
    listEvents: listEventsHandler(deps),
    filterEvents: filterEventsHandler(deps),
    getEventColumns: getEventColumnsHandler(deps),
    addEvents: addEventsHandler(deps),
    getEvent: getEventHandler(deps),
    getEventHistory: getEventHistoryHandler(deps),
    changeEvent: changeEventHandler(deps),
    removeEvent: removeEventHandler(deps),
    getNearestNeighbours: getNearestNeighboursHandler(deps),
    decluster: declusterHandler(deps),
    listLabels: listLabelsHandler(deps),
    createDeclustered: createDeclusteredHandler(deps),
    getAnalyticsSummary: getAnalyticsSummaryHandler(deps),
    getMagnitudeFrequency: getMagnitudeFrequencyHandler(deps),
    getCompleteness: getCompletenessHandler(deps),
    getBValue: getBValueHandler(deps),
    getRates: getRatesHandler(deps),
    getMoment: getMomentHandler(deps),
    getInterEventTimes: getInterEventTimesHandler(deps),
    getDepths: getDepthsHandler(deps),
    getDensity: getDensityHandler(deps),
    getOmori: getOmoriHandler(deps),
    getQuality: getQualityHandler(deps),
    plotMagnitudeFrequency: plotMagnitudeFrequencyHandler(deps),
    plotCompleteness: plotCompletenessHandler(deps),
    plotRates: plotRatesHandler(deps),
    plotTimeMagnitude: plotTimeMagnitudeHandler(deps),
    plotDepths: plotDepthsHandler(deps),
    plotOmori: plotOmoriHandler(deps),
    plotDensity: plotDensityHandler(deps),
    plotNearestNeighbour: plotNearestNeighbourHandler(deps),
    fdsnQuery: fdsnQueryHandler(deps),
    fdsnCount: fdsnCountHandler(deps),
    fdsnCatalogs: fdsnCatalogsHandler(deps),
    fdsnContributors: fdsnContributorsHandler(deps),
    fdsnVersion: fdsnVersionHandler(deps),
    fdsnWadl: fdsnWadlHandler(deps),
    fdsnApplicationJson: fdsnApplicationJsonHandler(deps),
    getOgcLanding: getOgcLandingHandler(deps),
    getOgcDefinition: getOgcDefinitionHandler(deps),
    getOgcConformance: getOgcConformanceHandler(deps),
    listOgcCollections: listOgcCollectionsHandler(deps),
    getOgcCollection: getOgcCollectionHandler(deps),
    getOgcSchema: getOgcSchemaHandler(deps),
    listOgcItems: listOgcItemsHandler(deps),
    getOgcItem: getOgcItemHandler(deps),
    getSummaryFeed: getSummaryFeedHandler(deps),
    getEventDetail: getEventDetailHandler(deps),
    followCatalogue: followCatalogueHandler(deps),
    followCatalogueBySocket: followCatalogueBySocketHandler(deps),
    followCatalogues: followCataloguesHandler(deps),
    followCataloguesBySocket: followCataloguesBySocketHandler(deps),
    upload: uploadHandler(deps),
    importEvents: importEventsHandler(deps),
    listImports: listImportsHandler(deps),
    compareCatalogues: compareCataloguesHandler(deps),
    mergeCatalogues: mergeCataloguesHandler(deps),
    previewMerge: previewMergeHandler(deps),
    listOperations: listJobsHandler(deps),
    getOperation: getJobHandler(deps),
    streamOperation: streamJobHandler(deps),
    cancelOperation: cancelJobHandler(deps),
    loadSetupSample: loadSetupSampleHandler(deps),
    createFirstAdministrator: createFirstAdministratorHandler(deps),
    loadSample: loadSampleHandler(deps),
    register: registerHandler(deps),
    login: loginHandler(deps),
    logout: logoutHandler(deps),
    getSession: getSessionHandler(deps),
    changePassword: changePasswordHandler(deps),
    forgotPassword: forgotPasswordHandler(deps),
    resetPassword: resetPasswordHandler(deps),
    listUsers: listUsersHandler(deps),
    getUser: getUserHandler(deps),
    updateUser: updateUserHandler(deps),
    listNotifications: listNotificationsHandler(deps),
    retryNotification: retryNotificationHandler(deps),
    deleteUser: deleteUserHandler(deps),
    submitRoleRequest: submitRoleRequestHandler(deps),
    listOwnRoleRequests: listOwnRoleRequestsHandler(deps),
    listRoleRequests: listRoleRequestsHandler(deps),
    reviewRoleRequest: reviewRoleRequestHandler(deps),
    listAudit: listAuditHandler(deps),
    listParkedEvents: listParkedEventsHandler(deps),
    retryParkedEvents: retryParkedEventsHandler(deps),
    getSettings: getSettingsHandler(deps),
    getReadiness: getReadinessHandler(deps),
    getHealth: getHealthHandler(deps),
    getOpenApi: getOpenApiHandler(deps),
    getMetrics: getMetricsHandler(deps),
  };
}
