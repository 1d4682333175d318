import type {
  Analysis,
  AnalysisName,
  AnalysisQuery,
  AnswerTo,
  PlotName,
} from "../../api/analysis.ts";
import type { Drawing } from "../../plots/chart/chart-types.ts";
import {
  drawInterEvent,
  drawMoment,
  drawOverTime,
  drawQuality,
  drawStability,
} from "./drawings.ts";
import { PARAMETERS, type Parameter } from "./parameters.tsx";

type Draw<A> = (answer: A, notes: readonly string[]) => Drawing | null;

/** How a tab's analysis is asked for and drawn. */
export type AnalysisOfTab = {
  /** The analysis whose numbers are told. */
  readonly analysis: AnalysisName;
  readonly parameters: readonly Parameter[];
  /** The parameter without which it means nothing. */
  readonly needs?: string;
  /** What is asked beside the parameters, which have these values. */
  readonly fixed?: (values: AnalysisQuery) => AnalysisQuery;
  /** Which of the answer's lists is saved as CSV. */
  readonly list: "bins" | "series";
  /** The service's plot, or what is drawn here. */
  readonly picture: PlotName | Draw<Analysis>;
};

/** A drawing of the answers of one analysis: a tab asks for no others. */
function ofAnswersTo<N extends AnalysisName>(_name: N, draw: Draw<AnswerTo<N>>): Draw<Analysis> {
  return draw as Draw<Analysis>;
}

const { mc, mcMethod, estimator, binWidth, correction } = PARAMETERS;

/** More would be a hedge of dots, each within the errors of its neighbours. */
const MOST_PERIODS = 60;

/** The analyses by their tabs. */
export const ANALYSES: Readonly<Record<string, AnalysisOfTab>> = {
  magnitudes: {
    analysis: "b-value",
    picture: "magnitude-frequency",
    list: "bins",
    parameters: [mcMethod, mc, estimator, binWidth, correction],
  },
  completeness: {
    analysis: "completeness",
    picture: "completeness",
    list: "bins",
    parameters: [PARAMETERS.method, PARAMETERS.estimatorOfTwo, binWidth, correction],
  },
  stability: {
    analysis: "b-value",
    fixed: () => ({ series: "mc" }),
    picture: ofAnswersTo("b-value", drawStability),
    list: "series",
    parameters: [mcMethod, mc, estimator, binWidth],
  },
  "over-time": {
    analysis: "completeness",
    fixed: ({ per }) => (per === "events" ? { windows: String(MOST_PERIODS) } : {}),
    picture: ofAnswersTo("completeness", drawOverTime),
    list: "series",
    parameters: [PARAMETERS.per, PARAMETERS.estimatorOfTwo, binWidth, correction],
  },
  rates: {
    analysis: "rates",
    picture: "rates",
    list: "bins",
    parameters: [PARAMETERS.months],
  },
  time: {
    analysis: "b-value",
    picture: "time-magnitude",
    list: "bins",
    parameters: [mcMethod, mc],
  },
  moment: {
    analysis: "moment",
    picture: ofAnswersTo("moment", drawMoment),
    list: "bins",
    parameters: [PARAMETERS.years, PARAMETERS.types],
  },
  "inter-event": {
    analysis: "inter-event",
    picture: ofAnswersTo("inter-event", drawInterEvent),
    list: "bins",
    parameters: [PARAMETERS.decades],
  },
  depths: {
    analysis: "depths",
    picture: "depths",
    list: "bins",
    parameters: [PARAMETERS.depths],
  },
  density: {
    analysis: "density",
    picture: "density",
    list: "bins",
    parameters: [PARAMETERS.cell],
  },
  omori: {
    analysis: "omori",
    picture: "omori",
    needs: "mainshock",
    list: "bins",
    parameters: [PARAMETERS.mainshock, PARAMETERS.radiusKm, PARAMETERS.end],
  },
  clusters: {
    analysis: "nearest-neighbour",
    picture: "nearest-neighbour",
    list: "bins",
    parameters: [PARAMETERS.df, PARAMETERS.b, PARAMETERS.threshold],
  },
  quality: {
    analysis: "quality",
    picture: ofAnswersTo("quality", drawQuality),
    list: "series",
    parameters: [],
  },
};
