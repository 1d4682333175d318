import { z } from "zod";
import * as accounts from "../accounts.ts";
import * as comparison from "../analytics/comparison.ts";
import * as declustering from "../analytics/declustering.ts";
import * as magnitudes from "../analytics/magnitudes.ts";
import * as plots from "../analytics/plots.ts";
import * as statistics from "../analytics/statistics.ts";
import * as audit from "../audit.ts";
import * as bulletins from "../bulletins.ts";
import * as catalogues from "../catalogues.ts";
import * as clients from "../clients.ts";
import * as events from "../events.ts";
import * as exports from "../exports.ts";
import * as following from "../following.ts";
import * as imports from "../imports.ts";
import * as jobs from "../jobs.ts";
import * as merges from "../merges.ts";
import { type Operation, Warnings } from "../operation.ts";
import * as regions from "../regions.ts";
import * as service from "../service.ts";
import * as uploads from "../uploads.ts";
import * as versions from "../versions.ts";

const definitions = {
  listCatalogues: catalogues.listCatalogues,
  createCatalogue: catalogues.createCatalogue,
  getCatalogue: catalogues.getCatalogue,
  updateCatalogue: catalogues.updateCatalogue,
  deleteCatalogue: catalogues.deleteCatalogue,
  exportCatalogue: exports.exportCatalogue,
  listVersions: catalogues.listVersions,
  getVersion: versions.getVersion,
  getCitation: versions.getCitation,
  getDiff: versions.getDiff,
  restoreVersion: versions.restoreVersion,
  createShare: catalogues.createShare,
  listShares: catalogues.listShares,
  endShare: catalogues.endShare,
  listMembers: catalogues.listMembers,
  getRight: catalogues.getRight,
  setMember: catalogues.setMember,
  removeMember: catalogues.removeMember,
  listEvents: events.listEvents,
  filterEvents: events.filterEvents,
  getEventColumns: events.getEventColumns,
  findDuplicates: events.findDuplicates,
  addEvents: events.addEvents,
  getEvent: events.getEvent,
  getEventsById: events.getEventsById,
  getEventHistory: events.getEventHistory,
  getArrivals: bulletins.getArrivals,
  getBulletin: bulletins.getBulletin,
  setBulletin: bulletins.setBulletin,
  removeBulletin: bulletins.removeBulletin,
  preferSolutions: bulletins.preferSolutions,
  deleteSolution: bulletins.deleteSolution,
  addComment: bulletins.addComment,
  changeEvent: events.changeEvent,
  removeEvent: events.removeEvent,
  removeEvents: events.removeEvents,
  restoreEvent: events.restoreEvent,
  listConversions: events.listConversions,
  convertMagnitudes: events.convertMagnitudes,
  getNearestNeighbours: declustering.getNearestNeighbours,
  decluster: declustering.decluster,
  listLabels: declustering.listLabels,
  createDeclustered: declustering.createDeclustered,
  getAnalyticsSummary: statistics.getAnalyticsSummary,
  getMagnitudeFrequency: statistics.getMagnitudeFrequency,
  getCompleteness: magnitudes.getCompleteness,
  getBValue: magnitudes.getBValue,
  getRates: statistics.getRates,
  getMoment: statistics.getMoment,
  getInterEventTimes: statistics.getInterEventTimes,
  getDepths: statistics.getDepths,
  getDensity: statistics.getDensity,
  getOmori: statistics.getOmori,
  getQuality: statistics.getQuality,
  plotMagnitudeFrequency: plots.plotMagnitudeFrequency,
  plotCompleteness: plots.plotCompleteness,
  plotRates: plots.plotRates,
  plotTimeMagnitude: plots.plotTimeMagnitude,
  plotDepths: plots.plotDepths,
  plotOmori: plots.plotOmori,
  plotDensity: plots.plotDensity,
  plotNearestNeighbour: plots.plotNearestNeighbour,
  fdsnQuery: clients.fdsnQuery,
  fdsnCount: clients.fdsnCount,
  fdsnCatalogs: clients.fdsnCatalogs,
  fdsnContributors: clients.fdsnContributors,
  fdsnVersion: clients.fdsnVersion,
  fdsnWadl: clients.fdsnWadl,
  fdsnApplicationJson: clients.fdsnApplicationJson,
  getOgcLanding: clients.getOgcLanding,
  getOgcDefinition: clients.getOgcDefinition,
  getOgcConformance: clients.getOgcConformance,
  listOgcCollections: clients.listOgcCollections,
  getOgcCollection: clients.getOgcCollection,
  getOgcSchema: clients.getOgcSchema,
  getOgcQueryables: clients.getOgcQueryables,
  listOgcItems: clients.listOgcItems,
  getOgcItem: clients.getOgcItem,
  getSummaryFeed: clients.getSummaryFeed,
  getEventDetail: clients.getEventDetail,
  followCatalogue: following.followCatalogue,
  followCatalogueBySocket: following.followCatalogueBySocket,
  followCatalogues: following.followCatalogues,
  followCataloguesBySocket: following.followCataloguesBySocket,
  upload: uploads.upload,
  listAgencies: imports.listAgencies,
  createAgency: imports.createAgency,
  updateAgency: imports.updateAgency,
  deleteAgency: imports.deleteAgency,
  listRegions: regions.listRegions,
  getRegion: regions.getRegion,
  createRegion: regions.createRegion,
  updateRegion: regions.updateRegion,
  deleteRegion: regions.deleteRegion,
  importEvents: imports.importEvents,
  listImports: imports.listImports,
  createSchedule: imports.createSchedule,
  listSchedules: imports.listSchedules,
  getSchedule: imports.getSchedule,
  updateSchedule: imports.updateSchedule,
  deleteSchedule: imports.deleteSchedule,
  runSchedule: imports.runSchedule,
  compareCatalogues: comparison.compareCatalogues,
  mergeCatalogues: merges.mergeCatalogues,
  evaluateMerge: merges.evaluateMerge,
  previewMerge: merges.previewMerge,
  getMerge: merges.getMerge,
  previewRefresh: merges.previewRefresh,
  refreshMerge: merges.refreshMerge,
  setDecisions: merges.setDecisions,
  makeDecision: merges.makeDecision,
  withdrawDecision: merges.withdrawDecision,
  listReviewPairs: merges.listReviewPairs,
  reviewPair: merges.reviewPair,
  listOperations: jobs.listOperations,
  getOperation: jobs.getOperation,
  streamOperation: jobs.streamOperation,
  cancelOperation: jobs.cancelOperation,
  loadSetupSample: accounts.loadSetupSample,
  createFirstAdministrator: accounts.createFirstAdministrator,
  loadSample: accounts.loadSample,
  register: accounts.register,
  login: accounts.login,
  logout: accounts.logout,
  getSession: accounts.getSession,
  beginOpenId: accounts.beginOpenId,
  finishOpenId: accounts.finishOpenId,
  joinOpenId: accounts.joinOpenId,
  changePassword: accounts.changePassword,
  forgotPassword: accounts.forgotPassword,
  resetPassword: accounts.resetPassword,
  listUsers: accounts.listUsers,
  createUser: accounts.createUser,
  getUser: accounts.getUser,
  updateUser: accounts.updateUser,
  listNotifications: following.listNotifications,
  retryNotification: following.retryNotification,
  deleteUser: accounts.deleteUser,
  createToken: accounts.createToken,
  listTokens: accounts.listTokens,
  endToken: accounts.endToken,
  listGroups: accounts.listGroups,
  getGroup: accounts.getGroup,
  createGroup: accounts.createGroup,
  updateGroup: accounts.updateGroup,
  deleteGroup: accounts.deleteGroup,
  submitRoleRequest: accounts.submitRoleRequest,
  listOwnRoleRequests: accounts.listOwnRoleRequests,
  listRoleRequests: accounts.listRoleRequests,
  reviewRoleRequest: accounts.reviewRoleRequest,
  listAudit: audit.listAudit,
  listParkedEvents: audit.listParkedEvents,
  retryParkedEvents: audit.retryParkedEvents,
  getSettings: service.getSettings,
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
