import { z } from "zod";
import * as accessTokens from "../accounts.ts";
import * as accounts from "../accounts.ts";
import * as openid from "../accounts.ts";
import * as roleRequests from "../accounts.ts";
import * as setup from "../accounts.ts";
import * as users from "../accounts.ts";
import * as groups from "../accounts.ts";
import * as comparison from "../analytics/comparison.ts";
import * as declustering from "../analytics/declustering.ts";
import * as nearestNeighbours from "../analytics/declustering.ts";
import * as analyticsMagnitudes from "../analytics/magnitudes.ts";
import * as plots from "../analytics/plots.ts";
import * as analytics from "../analytics/statistics.ts";
import * as omori from "../analytics/statistics.ts";
import * as quality from "../analytics/statistics.ts";
import * as rates from "../analytics/statistics.ts";
import * as audit from "../audit.ts";
import * as parkedEvents from "../audit.ts";
import * as bulletinTables from "../bulletins.ts";
import * as bulletins from "../bulletins.ts";
import * as solutions from "../bulletins.ts";
import * as catalogue from "../catalogue.ts";
import * as catalogues from "../catalogues.ts";
import * as members from "../catalogues.ts";
import * as shares from "../catalogues.ts";
import * as fdsn from "../clients.ts";
import * as ogc from "../clients.ts";
import * as summaryFeeds from "../clients.ts";
import * as conversions from "../events.ts";
import * as duplicates from "../events.ts";
import * as eventColumns from "../events.ts";
import * as eventEdits from "../events.ts";
import * as eventsById from "../events.ts";
import * as seismicEvents from "../events.ts";
import * as singleEvent from "../events.ts";
import * as catalogueExport from "../exports.ts";
import * as feed from "../following.ts";
import * as notifications from "../following.ts";
import * as agencies from "../imports.ts";
import * as importHistory from "../imports.ts";
import * as imports from "../imports.ts";
import * as schedules from "../imports.ts";
import * as background from "../jobs.ts";
import * as merge from "../merges.ts";
import * as mergeEvaluation from "../merges.ts";
import * as refreshes from "../merges.ts";
import * as merges from "../merges.ts";
import * as mergeReview from "../merges.ts";
import { type Operation, Warnings } from "../operation.ts";
import * as regions from "../regions.ts";
import * as service from "../service.ts";
import * as settings from "../service.ts";
import * as uploads from "../uploads.ts";
import * as versions from "../versions.ts";

const definitions = {
  listCatalogues: catalogues.listCatalogues,
  createCatalogue: catalogues.createCatalogue,
  getCatalogue: catalogue.getCatalogue,
  updateCatalogue: catalogues.updateCatalogue,
  deleteCatalogue: catalogues.deleteCatalogue,
  exportCatalogue: catalogueExport.exportCatalogue,
  listVersions: catalogue.listVersions,
  getVersion: versions.getVersion,
  getCitation: versions.getCitation,
  getDiff: versions.getDiff,
  restoreVersion: versions.restoreVersion,
  createShare: shares.createShare,
  listShares: shares.listShares,
  endShare: shares.endShare,
  listMembers: members.listMembers,
  getRight: members.getRight,
  setMember: members.setMember,
  removeMember: members.removeMember,
  listEvents: seismicEvents.listEvents,
  filterEvents: seismicEvents.filterEvents,
  getEventColumns: eventColumns.getEventColumns,
  findDuplicates: duplicates.findDuplicates,
  addEvents: eventEdits.addEvents,
  getEvent: singleEvent.getEvent,
  getEventsById: eventsById.getEventsById,
  getEventHistory: singleEvent.getEventHistory,
  getArrivals: bulletinTables.getArrivals,
  getBulletin: bulletins.getBulletin,
  setBulletin: bulletins.setBulletin,
  removeBulletin: bulletins.removeBulletin,
  preferSolutions: solutions.preferSolutions,
  deleteSolution: solutions.deleteSolution,
  addComment: solutions.addComment,
  changeEvent: eventEdits.changeEvent,
  removeEvent: eventEdits.removeEvent,
  removeEvents: eventEdits.removeEvents,
  restoreEvent: eventEdits.restoreEvent,
  listConversions: conversions.listConversions,
  convertMagnitudes: conversions.convertMagnitudes,
  getNearestNeighbours: nearestNeighbours.getNearestNeighbours,
  decluster: declustering.decluster,
  listLabels: declustering.listLabels,
  createDeclustered: declustering.createDeclustered,
  getAnalyticsSummary: analytics.getAnalyticsSummary,
  getMagnitudeFrequency: analytics.getMagnitudeFrequency,
  getCompleteness: analyticsMagnitudes.getCompleteness,
  getBValue: analyticsMagnitudes.getBValue,
  getRates: rates.getRates,
  getMoment: rates.getMoment,
  getInterEventTimes: rates.getInterEventTimes,
  getDepths: rates.getDepths,
  getDensity: rates.getDensity,
  getOmori: omori.getOmori,
  getQuality: quality.getQuality,
  plotMagnitudeFrequency: plots.plotMagnitudeFrequency,
  plotCompleteness: plots.plotCompleteness,
  plotRates: plots.plotRates,
  plotTimeMagnitude: plots.plotTimeMagnitude,
  plotDepths: plots.plotDepths,
  plotOmori: plots.plotOmori,
  plotDensity: plots.plotDensity,
  plotNearestNeighbour: plots.plotNearestNeighbour,
  fdsnQuery: fdsn.fdsnQuery,
  fdsnCount: fdsn.fdsnCount,
  fdsnCatalogs: fdsn.fdsnCatalogs,
  fdsnContributors: fdsn.fdsnContributors,
  fdsnVersion: fdsn.fdsnVersion,
  fdsnWadl: fdsn.fdsnWadl,
  fdsnApplicationJson: fdsn.fdsnApplicationJson,
  getOgcLanding: ogc.getOgcLanding,
  getOgcDefinition: ogc.getOgcDefinition,
  getOgcConformance: ogc.getOgcConformance,
  listOgcCollections: ogc.listOgcCollections,
  getOgcCollection: ogc.getOgcCollection,
  getOgcSchema: ogc.getOgcSchema,
  getOgcQueryables: ogc.getOgcQueryables,
  listOgcItems: ogc.listOgcItems,
  getOgcItem: ogc.getOgcItem,
  getSummaryFeed: summaryFeeds.getSummaryFeed,
  getEventDetail: summaryFeeds.getEventDetail,
  followCatalogue: feed.followCatalogue,
  followCatalogueBySocket: feed.followCatalogueBySocket,
  followCatalogues: feed.followCatalogues,
  followCataloguesBySocket: feed.followCataloguesBySocket,
  upload: uploads.upload,
  listAgencies: agencies.listAgencies,
  createAgency: agencies.createAgency,
  updateAgency: agencies.updateAgency,
  deleteAgency: agencies.deleteAgency,
  listRegions: regions.listRegions,
  getRegion: regions.getRegion,
  createRegion: regions.createRegion,
  updateRegion: regions.updateRegion,
  deleteRegion: regions.deleteRegion,
  importEvents: imports.importEvents,
  listImports: importHistory.listImports,
  createSchedule: schedules.createSchedule,
  listSchedules: schedules.listSchedules,
  getSchedule: schedules.getSchedule,
  updateSchedule: schedules.updateSchedule,
  deleteSchedule: schedules.deleteSchedule,
  runSchedule: schedules.runSchedule,
  compareCatalogues: comparison.compareCatalogues,
  mergeCatalogues: merge.mergeCatalogues,
  evaluateMerge: mergeEvaluation.evaluateMerge,
  previewMerge: merge.previewMerge,
  getMerge: merges.getMerge,
  previewRefresh: refreshes.previewRefresh,
  refreshMerge: refreshes.refreshMerge,
  setDecisions: merges.setDecisions,
  makeDecision: merges.makeDecision,
  withdrawDecision: merges.withdrawDecision,
  listReviewPairs: mergeReview.listReviewPairs,
  reviewPair: mergeReview.reviewPair,
  listOperations: background.listOperations,
  getOperation: background.getOperation,
  streamOperation: background.streamOperation,
  cancelOperation: background.cancelOperation,
  loadSetupSample: setup.loadSetupSample,
  createFirstAdministrator: setup.createFirstAdministrator,
  loadSample: setup.loadSample,
  register: accounts.register,
  login: accounts.login,
  logout: accounts.logout,
  getSession: accounts.getSession,
  beginOpenId: openid.beginOpenId,
  finishOpenId: openid.finishOpenId,
  joinOpenId: openid.joinOpenId,
  changePassword: accounts.changePassword,
  forgotPassword: accounts.forgotPassword,
  resetPassword: accounts.resetPassword,
  listUsers: users.listUsers,
  createUser: users.createUser,
  getUser: users.getUser,
  updateUser: users.updateUser,
  listNotifications: notifications.listNotifications,
  retryNotification: notifications.retryNotification,
  deleteUser: users.deleteUser,
  createToken: accessTokens.createToken,
  listTokens: accessTokens.listTokens,
  endToken: accessTokens.endToken,
  listGroups: groups.listGroups,
  getGroup: groups.getGroup,
  createGroup: groups.createGroup,
  updateGroup: groups.updateGroup,
  deleteGroup: groups.deleteGroup,
  submitRoleRequest: roleRequests.submitRoleRequest,
  listOwnRoleRequests: roleRequests.listOwnRoleRequests,
  listRoleRequests: roleRequests.listRoleRequests,
  reviewRoleRequest: roleRequests.reviewRoleRequest,
  listAudit: audit.listAudit,
  listParkedEvents: parkedEvents.listParkedEvents,
  retryParkedEvents: parkedEvents.retryParkedEvents,
  getSettings: settings.getSettings,
  getReadiness: service.getReadiness,
  getHealth: service.getHealth,
  getOpenApi: service.getOpenApi,
  getMetrics: service.getMetrics,
} as const;

type Definitions = typeof definitions;

/** All operations of the API: the gateway registers exactly these. */
export type Operations = {
  readonly [Id in keyof Definitions]: Definitions[Id] & { readonly id: Id };
};

export const operations = Object.fromEntries(
  Object.entries(definitions).map(([id, definition]) => [id, withWarnings({ ...definition, id })]),
) as Operations;

/** Answers to a body of JSON tell what of it was not known. */
function withWarnings(operation: Operation): Operation {
  const { method, body, success, accepted } = operation;
  if (method === "GET" || body === undefined || body === "file") return operation;
  return {
    ...operation,
    success: { ...success, schema: telling(success.schema) },
    ...(accepted && { accepted: { ...accepted, schema: telling(accepted.schema) } }),
  };
}

/** Analyses have warnings of their own, and are no writes. */
function telling(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject) || "warnings" in schema.shape) return schema;
  return schema.safeExtend({ warnings: Warnings });
}
