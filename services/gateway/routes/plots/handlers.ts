import { room } from "../../http/room.ts";
import { plotCompletenessHandler, plotMagnitudeFrequencyHandler } from "./plot-magnitudes.ts";
import {
  plotDensityHandler,
  plotDepthsHandler,
  plotNearestNeighbourHandler,
  plotOmoriHandler,
  plotRatesHandler,
} from "./plot-one.ts";
import { plotTimeMagnitudeHandler } from "./plot-time-magnitude.ts";

export const handlersOfPlots = room({
  plotMagnitudeFrequency: plotMagnitudeFrequencyHandler,
  plotCompleteness: plotCompletenessHandler,
  plotRates: plotRatesHandler,
  plotTimeMagnitude: plotTimeMagnitudeHandler,
  plotDepths: plotDepthsHandler,
  plotOmori: plotOmoriHandler,
  plotDensity: plotDensityHandler,
  plotNearestNeighbour: plotNearestNeighbourHandler,
});
