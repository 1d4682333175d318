/** The analyses that the page shows, one for each tab. */

type Option = { readonly value: string; readonly text: string };

/** A parameter of an analysis, by the API's name; the first option is the API's default. */
export type Parameter = {
  readonly name: string;
  readonly label: string;
  /** Without options it is a field. */
  readonly options?: readonly Option[];
  readonly unit?: string;
  readonly placeholder?: string;
};

export type AnalysisTab = {
  readonly tab: string;
  readonly title: string;
  /** The analysis whose numbers are told; its plot has another name where they differ. */
  readonly analysis: string;
  readonly plot: string;
  readonly parameters: readonly Parameter[];
};

const BIN_WIDTH: Parameter = {
  name: "binWidth",
  label: "Width of a bin",
  placeholder: "0.1",
};

const ESTIMATOR: Parameter = {
  name: "estimator",
  label: "Estimator of b",
  options: [
    { value: "", text: "Tinti–Mulargia" },
    { value: "utsu", text: "Utsu" },
    { value: "aki", text: "Aki" },
    { value: "b-positive", text: "b-positive" },
  ],
};

const METHODS: readonly Option[] = [
  { value: "", text: "Maximum curvature" },
  { value: "gft", text: "Goodness of fit" },
  { value: "mbs", text: "b-value stability" },
  { value: "emr", text: "Entire magnitude range" },
  { value: "ks", text: "Kolmogorov–Smirnov" },
  { value: "lilliefors", text: "Lilliefors" },
];

const MC: Parameter = { name: "mc", label: "Mc, if it is known" };
const MC_METHOD: Parameter = { name: "mcMethod", label: "Mc by", options: METHODS };

export const ANALYSES: readonly AnalysisTab[] = [
  {
    tab: "magnitudes",
    title: "Magnitude–frequency",
    analysis: "b-value",
    plot: "magnitude-frequency",
    parameters: [MC_METHOD, MC, ESTIMATOR, BIN_WIDTH],
  },
  {
    tab: "completeness",
    title: "Completeness",
    analysis: "completeness",
    plot: "completeness",
    parameters: [{ name: "method", label: "Method", options: METHODS }, BIN_WIDTH],
  },
  {
    tab: "rates",
    title: "Rates",
    analysis: "rates",
    plot: "rates",
    parameters: [
      {
        name: "bin",
        label: "Count by",
        options: [
          { value: "", text: "Month" },
          { value: "day", text: "Day" },
          { value: "week", text: "Week" },
          { value: "year", text: "Year" },
        ],
      },
    ],
  },
  {
    tab: "time",
    title: "Time–magnitude",
    analysis: "b-value",
    plot: "time-magnitude",
    parameters: [MC_METHOD, MC],
  },
  {
    tab: "depths",
    title: "Depths",
    analysis: "depths",
    plot: "depths",
    parameters: [{ name: "bin", label: "Height of a bin", unit: "km", placeholder: "5" }],
  },
  {
    tab: "density",
    title: "Density",
    analysis: "density",
    plot: "density",
    parameters: [{ name: "cell", label: "Side of a cell", unit: "°", placeholder: "0.1" }],
  },
  {
    tab: "omori",
    title: "Aftershocks",
    analysis: "omori",
    plot: "omori",
    parameters: [
      { name: "mainshock", label: "Main shock: id of an event, or a time" },
      { name: "radiusKm", label: "Around it", unit: "km" },
      { name: "end", label: "Until", unit: "days after it" },
    ],
  },
  {
    tab: "clusters",
    title: "Nearest neighbours",
    analysis: "nearest-neighbour",
    plot: "nearest-neighbour",
    parameters: [
      { name: "df", label: "Fractal dimension", placeholder: "1.6" },
      { name: "b", label: "b", placeholder: "1" },
    ],
  },
];
