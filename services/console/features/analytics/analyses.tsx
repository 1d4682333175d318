import { useEffect, useRef } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import type {
  Analysis,
  AnalysisName,
  AnalysisQuery,
  AnswerTo,
  PlotName,
} from "../../api/analysis.ts";
import { mayUse } from "../../api/session.ts";
import { searchOf, workStateOf } from "../../model/work-state.ts";
import type { Drawing } from "../../plots/chart.tsx";
import {
  drawInterEvent,
  drawMoment,
  drawOverTime,
  drawQuality,
  drawStability,
} from "./drawings.ts";
import { PARAMETERS, type Parameter } from "./parameters.tsx";

/** Everything that can be analysed, in groups. */
export function AnalyticsNav({ chosen }: { readonly chosen: string }) {
  const [path] = useLocation();
  // Kept for the way back, but for the work page's own tab, which is called alike; parameters of one
  // analysis mean nothing to another.
  const work = searchOf({ ...workStateOf(useSearch()), tab: "table" });
  // Where there is no room for a list it is a row that is moved sideways.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  return (
    <nav ref={nav} class="analytics-nav" aria-label="Analyses">
      {GROUPS.map(({ name, tabs }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {tabs
              .filter(({ role }) => mayUse(role))
              .map(({ tab, title }) => (
                <li key={tab}>
                  <Link
                    href={`${path}${work === "" ? "?" : `${work}&`}tab=${tab}`}
                    aria-current={tab === chosen ? "page" : undefined}
                  >
                    {title}
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The method of a tab, in a sentence, and when it misleads. */
type About = {
  readonly tab: string;
  readonly title: string;
  readonly about: string;
  /** Absent: everybody who reads the catalogue. */
  readonly role?: "editor";
};

type Draw<A> = (answer: A, notes: readonly string[]) => Drawing | null;

/** How a tab's analysis is asked for and drawn. */
export type AnalysisTab = About & {
  /** The analysis whose numbers are told. */
  readonly analysis: AnalysisName;
  readonly parameters: readonly Parameter[];
  /** The parameter without which it means nothing. */
  readonly needs?: string;
  /** What is asked beside the parameters, which have these values. */
  readonly fixed?: (values: AnalysisQuery) => AnalysisQuery;
  /** Which of the answer's lists is saved as CSV; absent, its bins. */
  readonly list?: "series";
  /** The service's plot, or what is drawn here. */
  readonly picture: PlotName | Draw<Analysis>;
};

/** What the page shows at one address: an analysis, or what is made of events beside those. */
export type AnalyticsTab = AnalysisTab | (About & { readonly analysis?: undefined });

/** A drawing of the answers of one analysis: a tab asks for no others. */
function ofAnswersTo<N extends AnalysisName>(_name: N, draw: Draw<AnswerTo<N>>): Draw<Analysis> {
  return draw as Draw<Analysis>;
}

const { mc, mcMethod, estimator, binWidth, correction } = PARAMETERS;

/** More would be a hedge of dots, each within the errors of its neighbours. */
const MOST_PERIODS = 60;

/** Everything that can be analysed, by what is asked of the events. */
const GROUPS: readonly { readonly name: string; readonly tabs: readonly AnalyticsTab[] }[] = [
  {
    name: "Magnitudes",
    tabs: [
      {
        tab: "magnitudes",
        title: "Magnitude–frequency",
        about:
          "Counts events by magnitude and fits the Gutenberg–Richter law from the magnitude of completeness up. Do not trust it with fewer than 50 events there, or where magnitudes are of several types.",
        analysis: "b-value",
        picture: "magnitude-frequency",
        parameters: [mcMethod, mc, estimator, binWidth, correction],
      },
      {
        tab: "completeness",
        title: "Completeness",
        about:
          "Finds Mc, the magnitude from which no event is missing, where the counts begin to follow the Gutenberg–Richter law. Not for events that were filtered by magnitude: it would find the filter.",
        analysis: "completeness",
        picture: "completeness",
        parameters: [PARAMETERS.method, PARAMETERS.estimatorOfTwo, binWidth, correction],
      },
      {
        tab: "stability",
        title: "b against Mc",
        about:
          "Shows which b each Mc would give; a good Mc stands where b has stopped to rise. Not for a few hundred events, whose uncertainty hides every step.",
        analysis: "b-value",
        fixed: () => ({ series: "mc" }),
        list: "series",
        picture: ofAnswersTo("b-value", drawStability),
        parameters: [mcMethod, mc, estimator, binWidth],
      },
      {
        tab: "moment",
        title: "Seismic moment",
        about:
          "Sums up the seismic moment over time, from magnitudes taken as Mw. The largest events are nearly all of it, so their magnitudes decide; not for magnitudes that are far from Mw.",
        analysis: "moment",
        picture: ofAnswersTo("moment", drawMoment),
        parameters: [PARAMETERS.years, PARAMETERS.types],
      },
    ],
  },
  {
    name: "Time",
    tabs: [
      {
        tab: "rates",
        title: "Rates",
        about:
          "Counts events by day, week, month or year. Not for judging activity below Mc: more stations also find more events.",
        analysis: "rates",
        picture: "rates",
        parameters: [PARAMETERS.months],
      },
      {
        tab: "time",
        title: "Time–magnitude",
        about:
          "Shows each event by time and magnitude: sequences, gaps, and what the network could detect. Not for counting, since events lie upon one another.",
        analysis: "b-value",
        picture: "time-magnitude",
        parameters: [mcMethod, mc],
      },
      {
        tab: "over-time",
        title: "Mc and b over time",
        about:
          "Estimates Mc and b period by period, to see when the network or the processing changed. A large main shock lifts Mc by itself, because its first aftershocks are missed.",
        analysis: "completeness",
        fixed: ({ per }) => (per === "events" ? { windows: String(MOST_PERIODS) } : {}),
        list: "series",
        picture: ofAnswersTo("completeness", drawOverTime),
        parameters: [PARAMETERS.per, PARAMETERS.estimatorOfTwo, binWidth, correction],
      },
      {
        tab: "inter-event",
        title: "Inter-event times",
        about:
          "Compares the times between one event and the next with those of independent events. Not across a change of completeness, which shortens them too.",
        analysis: "inter-event",
        picture: ofAnswersTo("inter-event", drawInterEvent),
        parameters: [PARAMETERS.decades],
      },
    ],
  },
  {
    name: "Place",
    tabs: [
      {
        tab: "depths",
        title: "Depths",
        about:
          "Counts events by depth. Look at the depths that were set by an operator first: they make peaks at 5, 10 or 33 km that are not in the earth.",
        analysis: "depths",
        picture: "depths",
        parameters: [PARAMETERS.depths],
      },
      {
        tab: "section",
        title: "Depth section",
        about:
          "Looks at the events from the side, along a line. Not where depths are uncertain by more than the structure that is looked for.",
      },
      {
        tab: "density",
        title: "Density",
        about:
          "Counts events in cells of equal degrees. Not for comparing latitudes far apart: cells get smaller towards the poles.",
        analysis: "density",
        picture: "density",
        parameters: [PARAMETERS.cell],
      },
      {
        tab: "quality",
        title: "Quality of location",
        about:
          "Sums up azimuthal gap, stations, residuals and uncertainties, and grades them. Not for comparing agencies that do not give all of these: what is missing counts as the worst.",
        analysis: "quality",
        list: "series",
        picture: ofAnswersTo("quality", drawQuality),
        parameters: [],
      },
    ],
  },
  {
    name: "Sequences",
    tabs: [
      {
        tab: "omori",
        title: "Aftershocks",
        about:
          "Fits the Omori–Utsu law to the decay of aftershocks of one main shock. Not with fewer than 30 events, and not from its first minutes, when most events are missed.",
        analysis: "omori",
        picture: "omori",
        needs: "mainshock",
        parameters: [PARAMETERS.mainshock, PARAMETERS.radiusKm, PARAMETERS.end],
      },
      {
        tab: "clusters",
        title: "Nearest neighbours",
        about:
          "Measures how near each event is to its most likely trigger, in time, space and magnitude. Where the distribution has one peak only, clustered and other events cannot be told apart.",
        analysis: "nearest-neighbour",
        picture: "nearest-neighbour",
        parameters: [PARAMETERS.df, PARAMETERS.b, PARAMETERS.threshold],
      },
      {
        tab: "decluster",
        title: "Decluster",
        role: "editor",
        about:
          "Tells main events from foreshocks and aftershocks, and makes catalogues of them. Methods differ by a factor of two or more: name yours with every figure that rests on it.",
      },
    ],
  },
];

/** @returns undefined where the address names none */
export function tabNamed(name: string): AnalyticsTab | undefined {
  return GROUPS.flatMap(({ tabs }) => tabs).find(({ tab }) => tab === name);
}
