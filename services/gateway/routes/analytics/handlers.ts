import { room } from "../../http/room.ts";
import { compareCataloguesHandler } from "./compare.ts";
import { declusterHandler } from "./decluster.ts";
import { createDeclusteredHandler, listLabelsHandler } from "./decluster-result.ts";
import { getDensityHandler } from "./density.ts";
import { getDepthsHandler } from "./depths.ts";
import { getInterEventTimesHandler } from "./inter-event.ts";
import { getBValueHandler } from "./magnitudes/b-value.ts";
import { getCompletenessHandler } from "./magnitudes/completeness.ts";
import { getMagnitudeFrequencyHandler } from "./magnitudes/magnitude-frequency.ts";
import { getMomentHandler } from "./moment.ts";
import { getNearestNeighboursHandler } from "./nearest-neighbour.ts";
import { getOmoriHandler } from "./omori.ts";
import { getQualityHandler } from "./quality.ts";
import { getRatesHandler } from "./rates.ts";
import { getAnalyticsSummaryHandler } from "./summary.ts";

export const handlersOfAnalytics = room({
  getNearestNeighbours: getNearestNeighboursHandler,
  decluster: declusterHandler,
  listLabels: listLabelsHandler,
  createDeclustered: createDeclusteredHandler,
  getAnalyticsSummary: getAnalyticsSummaryHandler,
  getMagnitudeFrequency: getMagnitudeFrequencyHandler,
  getCompleteness: getCompletenessHandler,
  getBValue: getBValueHandler,
  getRates: getRatesHandler,
  getMoment: getMomentHandler,
  getInterEventTimes: getInterEventTimesHandler,
  getDepths: getDepthsHandler,
  getDensity: getDensityHandler,
  getOmori: getOmoriHandler,
  getQuality: getQualityHandler,
  compareCatalogues: compareCataloguesHandler,
});
