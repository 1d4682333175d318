import type {
  Analysis,
  AnalysisName,
  AnalysisQuery,
  AnswerTo,
  PlotName,
} from "../../api/analysis.ts";
import type { Drawing } from "../../plots/drawing.ts";
import { drawInterEvent } from "./drawings/inter-event.ts";
import { drawMoment } from "./drawings/moment.ts";
import { drawOverTime } from "./drawings/over-time.ts";
import { drawQuality } from "./drawings/quality.ts";
import { drawStability } from "./drawings/stability.ts";
import { PARAMETERS, type Parameter } from "./parameters.ts";

type Draw<A> = (answer: A, notes: readonly string[]) => Drawing | null;

/** An analysis of the page, with a tab of its own. */
export type AnalysisTab = {
  readonly tab: string;
  readonly title: string;
  /** The analysis whose numbers are told. */
  readonly analysis: AnalysisName;
  readonly parameters: readonly Parameter[];
  /** The parameter without which it means nothing. */
  readonly needs?: string;
  /** What is asked beside the parameters. */
  readonly fixed?: AnalysisQuery;
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

/** The analyses that the page shows, one for each tab. */
export const ANALYSES: readonly AnalysisTab[] = [
  {
    tab: "magnitudes",
    title: "Magnitude–frequency",
    analysis: "b-value",
    picture: "magnitude-frequency",
    list: "bins",
    parameters: [mcMethod, mc, estimator, binWidth, correction],
  },
  {
    tab: "completeness",
    title: "Completeness",
    analysis: "completeness",
    picture: "completeness",
    list: "bins",
    parameters: [PARAMETERS.method, PARAMETERS.estimatorOfTwo, binWidth, correction],
  },
  {
    tab: "stability",
    title: "b by Mc",
    analysis: "b-value",
    fixed: { series: "mc" },
    picture: ofAnswersTo("b-value", drawStability),
    list: "series",
    parameters: [mcMethod, mc, estimator, binWidth],
  },
  {
    tab: "over-time",
    title: "Mc and b over time",
    analysis: "completeness",
    picture: ofAnswersTo("completeness", drawOverTime),
    list: "series",
    parameters: [PARAMETERS.per, PARAMETERS.estimatorOfTwo, binWidth, correction],
  },
  {
    tab: "rates",
    title: "Rates",
    analysis: "rates",
    picture: "rates",
    list: "bins",
    parameters: [PARAMETERS.months],
  },
  {
    tab: "time",
    title: "Time–magnitude",
    analysis: "b-value",
    picture: "time-magnitude",
    list: "bins",
    parameters: [mcMethod, mc],
  },
  {
    tab: "moment",
    title: "Moment",
    analysis: "moment",
    picture: ofAnswersTo("moment", drawMoment),
    list: "bins",
    parameters: [PARAMETERS.years, PARAMETERS.types],
  },
  {
    tab: "inter-event",
    title: "Inter-event times",
    analysis: "inter-event",
    picture: ofAnswersTo("inter-event", drawInterEvent),
    list: "bins",
    parameters: [PARAMETERS.decades],
  },
  {
    tab: "depths",
    title: "Depths",
    analysis: "depths",
    picture: "depths",
    list: "bins",
    parameters: [PARAMETERS.depths],
  },
  {
    tab: "density",
    title: "Density",
    analysis: "density",
    picture: "density",
    list: "bins",
    parameters: [PARAMETERS.cell],
  },
  {
    tab: "omori",
    title: "Aftershocks",
    analysis: "omori",
    picture: "omori",
    needs: "mainshock",
    list: "bins",
    parameters: [PARAMETERS.mainshock, PARAMETERS.radiusKm, PARAMETERS.end],
  },
  {
    tab: "clusters",
    title: "Nearest neighbours",
    analysis: "nearest-neighbour",
    picture: "nearest-neighbour",
    list: "bins",
    parameters: [PARAMETERS.df, PARAMETERS.b, PARAMETERS.threshold],
  },
  {
    tab: "quality",
    title: "Quality",
    analysis: "quality",
    picture: ofAnswersTo("quality", drawQuality),
    list: "series",
    parameters: [],
  },
];
