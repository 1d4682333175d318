import { invalid } from "#contracts/errors.ts";
import { getDensityHandler } from "../analytics/density.ts";
import { getDepthsHandler } from "../analytics/depths.ts";
import { getNearestNeighboursHandler } from "../analytics/nearest-neighbour.ts";
import { getOmoriHandler } from "../analytics/omori.ts";
import { getRatesHandler } from "../analytics/rates.ts";
import type { MakeHandler } from "../make-handler.ts";
import { plotAnswer } from "./plot-answer.ts";

/** Plots of one analysis each, which is answered as JSON at its own address. */

type Needs = "reads" | "keptAnalyses" | "threads" | "versionHistories" | "publicBaseUrl";

export const plotRatesHandler: MakeHandler<"plotRates", Needs> = (deps) => async (call) => {
  const rates = await getRatesHandler(deps)({ ...call });
  return plotAnswer(deps, call, "rates", { rates }, rates.body.version);
};

export const plotDepthsHandler: MakeHandler<"plotDepths", Needs> = (deps) => async (call) => {
  const depths = await getDepthsHandler(deps)({ ...call });
  return plotAnswer(deps, call, "depths", { depths }, depths.body.version);
};

export const plotOmoriHandler: MakeHandler<"plotOmori", Needs> = (deps) => async (call) => {
  const omori = await getOmoriHandler(deps)({ ...call });
  return plotAnswer(deps, call, "omori", { omori }, omori.body.version);
};

export const plotNearestNeighbourHandler: MakeHandler<
  "plotNearestNeighbour",
  Needs | "declusterer"
> = (deps) => async (call) => {
  const neighbours = await getNearestNeighboursHandler(deps)({ ...call });
  const { version } = neighbours.body;
  return plotAnswer(deps, call, "nearest-neighbour", { neighbours }, version);
};

/** More would be a picture of tens of megabytes. */
const MOST_CELLS = 20_000;

export const plotDensityHandler: MakeHandler<"plotDensity", Needs> = (deps) => async (call) => {
  const density = await getDensityHandler(deps)({ ...call });
  const { estimate, version } = density.body;
  if (estimate !== null && estimate.cells > MOST_CELLS) {
    const message = `there are ${estimate.cells} cells with events, more than ${MOST_CELLS}: take larger ones`;
    throw invalid("cell", message);
  }
  return plotAnswer(deps, call, "density", { density }, version);
};
