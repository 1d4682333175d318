import type { z } from "zod";
import type { getNearestNeighbours } from "#contracts/http/analytics/declustering.ts";
import type { getBValue, getCompleteness } from "#contracts/http/analytics/magnitudes.ts";
import {
  BIN_WIDTH,
  type getDensity,
  type getDepths,
  type getMagnitudeFrequency,
  type getOmori,
  type getRates,
} from "#contracts/http/analytics/statistics.ts";
import { type Chart, type Mark, panelOf } from "#contracts/plots/chart.ts";
import { logTicks, numberText, significant, withError } from "#contracts/plots/numbers.ts";
import { linearOver, rangeOf, type Scale } from "#contracts/plots/scale.ts";
import { filtersInWords } from "#contracts/query/filters.ts";

/** The answer of an analysis. */
type Answer<O extends { readonly answer: z.ZodType }> = z.output<O["answer"]>;
/** What every analysis tells of its events. */
type Analysed = Pick<Answer<typeof getRates>, "filters" | "input" | "reference">;
type Fit = Pick<Answer<typeof getBValue>, "estimate" | "reason" | keyof Analysed>;

type PlottedEvent = {
  readonly time: string;
  readonly magnitude: number;
  /** km; null where it is not known. */
  readonly depth: number | null;
};

/** How many events there are in a stretch of time and a range of magnitudes or depths. */
type TimeCell = {
  readonly of: "magnitude" | "depth";
  readonly start: string;
  readonly end: string;
  /** Magnitudes, or km. */
  readonly low: number;
  readonly high: number;
  readonly count: number;
};

/** The answers that each plot shows. */
export type Plots = {
  readonly "magnitude-frequency": {
    readonly frequency: Answer<typeof getMagnitudeFrequency>;
    readonly fit: Fit;
  };
  readonly completeness: {
    readonly completeness: Answer<typeof getCompleteness>;
    /** By goodness of fit: R for each magnitude as if it were Mc. */
    readonly goodness: Answer<typeof getCompleteness>;
    /** With b for each Mc. */
    readonly stability: Answer<typeof getBValue>;
  };
  readonly rates: { readonly rates: Answer<typeof getRates> };
  readonly "time-magnitude": {
    /** `series` are events in order of time, of the `n` that have a magnitude: all, or with `bins` the largest. */
    readonly events: Analysed & {
      readonly estimate: { readonly n: number } | null;
      readonly reason?: string | undefined;
      readonly series?: readonly PlottedEvent[] | undefined;
      /** Of more events than can be shown: their numbers, in place of most dots. */
      readonly bins?: readonly TimeCell[] | undefined;
    };
    readonly fit: Fit;
  };
  readonly depths: { readonly depths: Answer<typeof getDepths> };
  readonly omori: { readonly omori: Answer<typeof getOmori> };
  readonly density: { readonly density: Answer<typeof getDensity> };
  readonly "nearest-neighbour": { readonly neighbours: Answer<typeof getNearestNeighbours> };
};

export type PlotName = keyof Plots;

/** In which colours, and how wide the frame is, px. */
type Ground = { readonly theme: "light" | "dark"; readonly wide: number };

/** A chart whose notes tell of the answers that are drawn. */
type Drawing = Omit<Chart, "notes"> & {
  readonly of: readonly Analysed[];
  readonly notes?: readonly string[];
};

/** What each plot shows of its answers. */
export const CHARTS: {
  readonly [N in PlotName]: (answers: Plots[N], ground: Ground) => Drawing;
} = {
  /**
   * Logarithmic numbers: cumulative as squares, of each bin as triangles, the Gutenberg–Richter law as a
   * line from the magnitude of completeness up.
   */
  "magnitude-frequency": ({ frequency, fit }) => {
    const { bins = [], series = [] } = frequency;
    const width = numberOf(frequency, "binWidth");
    const [low, high] = rangeOf(bins.map(({ magnitude }) => magnitude)) ?? [0, 1];
    const space = Math.max(width, (high - low) * 0.03);
    const y = logOver([1, ...bins.map(({ cumulative }) => cumulative)]);
    const types = ([2, 3, "muted"] as const).flatMap((colour, i): Mark[] => {
      const ofType = series[i];
      if (ofType === undefined) return [];
      const name = `cumulative, ${ofType.type ?? "without a type"}, n = ${numberText(ofType.n)}`;
      const points = ofType.bins.map((bin) => [bin.magnitude, bin.cumulative] as const);
      return [{ kind: "line", name, colour, points }];
    });
    return {
      title: "Frequency–magnitude distribution",
      x: { kind: "linear", from: low - space, to: high + space, label: "Magnitude" },
      panels: [
        {
          height: 376,
          y: { ...y, from: y.from * 0.8, label: "Number of events" },
          marks: [
            {
              ...symbols("square", 0, "cumulative, N(≥M)"),
              points: bins.map(({ magnitude, cumulative }) => [magnitude, cumulative]),
            },
            {
              ...symbols("triangle", 1, `in bins of ${numberText(width)}`),
              points: filledOf(bins).map(({ magnitude, count }) => [magnitude, count]),
            },
            ...types,
            ...lawOf(frequency, fit),
          ],
        },
      ],
      facts: told(fit, "b-value", ({ n, aAnnual }) => [
        `n = ${numberText(n)}`,
        aAnnual !== null && `a = ${significant(aAnnual, 3)} per year`,
      ]),
      of: [frequency, fit],
    };
  },

  /** How many events there are of each magnitude, and b and the goodness of its fit as functions of Mc. */
  completeness: ({ completeness, goodness, stability }) => {
    const { bins = [], estimate, parameters } = completeness;
    // Where magnitudes are taken as they are, their numbers stand in bins of the usual width.
    const width = Number(parameters["binWidth"]) || BIN_WIDTH.default;
    const [low, high] = rangeOf(bins.map(({ magnitude }) => magnitude)) ?? [0, 1];
    const fits = (stability.series ?? []).flatMap((fit) =>
      "mc" in fit && fit.mc !== null && fit.b !== null && fit.sigma !== null && !("start" in fit)
        ? [{ mc: fit.mc, b: fit.b, sigma: fit.sigma }]
        : [],
    );
    const [least, most] = rangeOf(fits.flatMap(({ b }) => [0.8 * b, 1.2 * b])) ?? [0.5, 1.5];
    const rs = (goodness.series ?? []).flatMap((fit) =>
      "magnitude" in fit && fit.r !== undefined ? [[fit.magnitude, fit.r] as const] : [],
    );
    const lowest = Math.min(80, ...rs.map(([, r]) => r));
    const atMc = fits.find(({ mc }) => estimate && Math.abs(mc - estimate.mc) < 1e-9);
    const mc = (name: string): Mark[] =>
      estimate ? [{ kind: "rule", colour: "ink", x: estimate.mc, ...(name && { name }) }] : [];
    return {
      title: "Magnitude of completeness",
      x: {
        ...{ kind: "linear", from: low - width, to: high + width },
        label: "Magnitude, and magnitude of completeness, Mc",
      },
      panels: [
        panelOf(
          "Number of events",
          150,
          {
            ...{ kind: "bars", name: `in bins of ${numberText(width)}`, colour: 1 },
            bars: bins.map(({ magnitude: at, count }) => [at - width / 2, at + width / 2, count]),
          },
          ...mc(`Mc = ${numberText(estimate?.mc ?? 0)} (${String(parameters["method"])})`),
        ),
        {
          height: 150,
          y: { kind: "linear", from: least, to: most, label: "b-value" },
          marks: [
            {
              ...{ kind: "band", name: "b with its 95 % band", colour: 0 },
              points: fits.map(({ mc, b, sigma }) => [
                mc,
                Math.max(b - OF_95_PERCENT * sigma, least),
                Math.min(b + OF_95_PERCENT * sigma, most),
              ]),
            },
            { kind: "line", colour: 0, points: fits.map(({ mc, b }) => [mc, b]) },
            ...mc(""),
          ],
        },
        {
          height: 150,
          y: {
            ...{ kind: "linear", from: Math.max(0, Math.floor(lowest / 10) * 10), to: 100 },
            label: "Goodness of fit, R (%)",
          },
          marks: [
            { kind: "rule", colour: "muted", y: 90 },
            { kind: "rule", colour: "muted", y: 95 },
            { kind: "line", name: "R with 90 and 95 %", colour: 2, hasDots: true, points: rs },
            ...mc(""),
          ],
        },
      ],
      facts: told(completeness, "Mc", ({ n }) => [
        atMc !== undefined && `b = ${withError(atMc.b, atMc.sigma)}`,
        `n = ${numberText(n)}`,
      ]),
      of: [completeness, goodness, stability],
    };
  },

  /** Events in each unit of the calendar, and their cumulative number. */
  rates: ({ rates }) => {
    const { parameters } = rates;
    const bins = (rates.bins ?? []).map(({ start, end, ...bin }) => {
      return { ...bin, from: Date.parse(start), to: Date.parse(end) };
    });
    const [from, to] = rangeOf(bins.flatMap(({ from, to }) => [from, to])) ?? [0, 1];
    const bars = (isPale: boolean) =>
      bins
        .filter(({ partial }) => partial === isPale)
        .map(({ from, to, count }) => [from, to, count] as const);
    const pale = bins.some(({ partial }) => partial) ? ", pale where partial" : "";
    const counted = { kind: "bars", colour: 0 } as const;
    return {
      title: "Rate of events",
      x: { kind: "time", from, to, label: "Time (UTC)" },
      panels: [
        panelOf(
          `Events per ${parameters["bin"]}`,
          180,
          { ...counted, name: `per ${parameters["bin"]}${pale}`, bars: bars(false) },
          { ...counted, isPale: true, bars: bars(true) },
        ),
        panelOf("Cumulative number", 180, {
          ...{ kind: "line", name: "cumulative", colour: 1 },
          points: [[from, 0], ...bins.map(({ to, cumulative }) => [to, cumulative] as const)],
        }),
      ],
      facts: told(rates, "rates", ({ n, perYear, max, maxStart }) => [
        `n = ${numberText(n)}`,
        perYear !== null && `${significant(perYear, 4)} per year`,
        `most ${numberText(max)}, from ${maxStart.slice(0, 10)}`,
      ]),
      of: [rates],
    };
  },

  /** Magnitudes and depths over time, with the magnitude of completeness. */
  "time-magnitude": ({ events, fit }, { theme }) => {
    const { bins = [], series = [] } = events;
    const cells = bins.map(({ start, end, ...cell }) => {
      return { ...cell, from: Date.parse(start), to: Date.parse(end) };
    });
    const cellsOf = (of: TimeCell["of"]) => cells.filter((cell) => cell.of === of);
    const edgesOf = (of: TimeCell["of"]) => cellsOf(of).flatMap(({ low, high }) => [low, high]);
    const dots = series.map(({ time, ...event }) => ({ ...event, time: Date.parse(time) }));
    const [first, last] = rangeOf([
      ...dots.map(({ time }) => time),
      ...cells.flatMap(({ from, to }) => [from, to]),
    ]) ?? [0, 1];
    const space = Math.max(1000, (last - first) * 0.015);
    const [least, largest] = rangeOf([
      ...series.map(({ magnitude }) => magnitude),
      ...edgesOf("magnitude"),
    ]) ?? [0.3, 0.7];
    const depths = [...series.map(({ depth }) => depth), ...edgesOf("depth")];
    const [highest, deepest] = rangeOf([...depths, 0, 10]) ?? [0, 10];
    const most = mostIn(bins);
    const shaded = (of: TimeCell["of"]) =>
      shades(
        cellsOf(of).map(({ from, to, low, high, count }) => ({
          bar: [from, to, high, low],
          count,
        })),
        most,
        theme,
      );
    const discs = (of: "magnitude" | "depth"): Mark => {
      const shown = dots.filter((dot) => dot[of] !== null);
      return {
        ...{ kind: "discs", colour: of === "magnitude" ? 0 : 1, isDense: true },
        name: bins.length === 0 ? of : `${of}, the ${series.length} largest`,
        points: shown.map((dot) => [dot.time, dot[of]]),
        // Areas grow by two thirds with each magnitude, below the largest.
        diameters: shown.map(({ magnitude }) =>
          Math.max(2.2, 14 * 10 ** ((magnitude - largest) / 4.5)),
        ),
      };
    };
    return {
      title: "Magnitudes and depths over time",
      x: { kind: "time", from: first - space, to: last + space, label: "Time (UTC)" },
      panels: [
        {
          height: 200,
          y: { kind: "linear", from: least - 0.3, to: largest + 0.3, label: "Magnitude" },
          marks: [
            ...shaded("magnitude"),
            discs("magnitude"),
            ...(fit.estimate
              ? [
                  {
                    ...({ kind: "rule", colour: "ink", y: fit.estimate.mc } as const),
                    name: `Mc = ${numberText(fit.estimate.mc)}`,
                  },
                ]
              : []),
          ],
        },
        {
          height: 200,
          y: {
            ...{ kind: "linear", from: deepest * 1.04, to: highest - 0.02 * deepest },
            label: "Depth (km)",
          },
          marks: [...shaded("depth"), discs("depth"), ...shadeKeys(bins, theme)],
        },
      ],
      facts: told(events, "events", ({ n }) => [
        `n = ${numberText(n)}`,
        fit.estimate !== null && `b = ${withError(fit.estimate.b, fit.estimate.sigma)}`,
      ]),
      of: [events, fit],
    };
  },

  /** How many events there are at each depth, from above to below. */
  depths: ({ depths }) => {
    const { bins = [] } = depths;
    const name = `in bins of ${numberText(numberOf(depths, "bin"))} km`;
    return {
      title: "Depths",
      x: {
        ...linearOver([1, ...bins.map(({ count }) => count)], { fromZero: true }),
        label: "Number of events",
      },
      panels: [
        {
          height: 386,
          y: {
            ...{ kind: "linear", from: bins.at(-1)?.to ?? 1, to: bins[0]?.from ?? 0 },
            label: "Depth (km)",
          },
          marks: [
            {
              ...{ kind: "bars", name, colour: 0, isClose: bins.length > 100 },
              bars: filledOf(bins).map(({ from, to, count }) => [
                ...([0, count, to - 0.04 * (to - from), from + 0.04 * (to - from)] as const),
              ]),
            },
          ],
        },
      ],
      facts: told(depths, "depths", ({ n, missing, fixed }) => [
        `n = ${numberText(n)}`,
        `without depth ${numberText(missing)}`,
        `fixed depths ${numberText(fixed.count)}`,
      ]),
      of: [depths],
    };
  },

  /** The rate of aftershocks over time, both logarithmic, with Omori and Utsu's law. */
  omori: ({ omori }) => {
    const { bins = [], estimate, parameters } = omori;
    const rates = filledOf(bins).map(({ from, to, count, rate }) => ({
      ...{ day: Math.sqrt(from * to), rate },
      // A Poisson number's standard deviation; from one event down to a third.
      low: rate * Math.max(0.3, 1 - 1 / Math.sqrt(count)),
      high: rate * (1 + 1 / Math.sqrt(count)),
    }));
    const [from, to] = [bins[0]?.from ?? 0.01, bins.at(-1)?.to ?? 1];
    const law = along((share) => {
      const day = from * (to / from) ** share;
      return [day, estimate ? estimate.K * (day + estimate.c) ** -estimate.p : 1];
    });
    const main = parameters["mainTime"] ?? parameters["mainshock"];
    return {
      title: "Decay of aftershocks",
      x: {
        ...{ kind: "log", from: from / 1.15, to: to * 1.15 },
        label: "Time after the main event (days)",
      },
      panels: [
        {
          height: 376,
          y: {
            ...logOver([
              ...rates.flatMap(({ low, high }) => [low, high]),
              ...(estimate ? law.map(([, rate]) => rate) : []),
            ]),
            label: "Events per day",
          },
          marks: [
            {
              ...{ kind: "line", colour: 0 },
              points: rates.flatMap(({ day, low, high }) => [
                ...([[day, low] as const, [day, high] as const, [day, null] as const] as const),
              ]),
            },
            ...(estimate
              ? [{ kind: "line", name: "K (t + c)⁻ᵖ", colour: "ink", points: law } as const]
              : []),
            {
              ...{ kind: "discs", colour: 0, name: "rate ± its standard deviation" },
              points: rates.map(({ day, rate }) => [day, rate]),
            },
          ],
        },
      ],
      facts: told(omori, "fit", ({ K, sigmaK, c, sigmaC, p, sigmaP, n, ks }) => [
        `K = ${withError(K, sigmaK)}`,
        `c = ${withError(c, sigmaC)} days`,
        `p = ${withError(p, sigmaP)}`,
        `n = ${numberText(n)}, KS ${significant(ks, 2)}`,
      ]),
      notes: main === undefined ? [] : [`main event ${String(main)}`],
      of: [omori],
    };
  },

  /** How many events there are in each cell of a map. */
  density: ({ density }, { theme, wide }) => {
    const { bins = [] } = density;
    const cell = numberOf(density, "cell");
    const edge = westernEdge(bins.map(({ longitude }) => longitude));
    const cells = bins.map(({ latitude, longitude, count }) => {
      const west = longitude < edge ? longitude + 360 : longitude;
      return { bar: [west, west + cell, latitude + cell, latitude] as const, count };
    });
    const { x, y, height } = mapOf(
      cells.map(({ bar }) => bar),
      cell,
      wide,
    );
    return {
      title: "Density of events",
      x: { ...x, label: "Longitude", text: longitudeText },
      panels: [
        {
          height,
          y: { ...y, label: "Latitude", text: (at) => degreesText(at, "N", "S", 0) },
          marks: [...shades(cells, mostIn(bins), theme), ...shadeKeys(bins, theme)],
        },
      ],
      facts: told(density, "density", ({ n, cells, max }) => [
        `cells of ${cell}°`,
        `n = ${numberText(n)}`,
        `${numberText(cells)} cells with events`,
        `most ${numberText(max)}`,
      ]),
      of: [density],
    };
  },

  /** Times and distances to nearest neighbours, rescaled: their product η, and each by itself. */
  "nearest-neighbour": ({ neighbours }, { theme }) => {
    const { bins = [], series = [], estimate, parameters } = neighbours;
    const cells = series.map(({ logT, logR, width, count }) => {
      return { bar: [logT, logT + width, logR + width, logR] as const, count };
    });
    const over = (values: readonly number[]): Scale => {
      const [low, high] = rangeOf(values) ?? [-7.7, 1.7];
      return { kind: "linear", from: low - 0.3, to: high + 0.3 };
    };
    const t = over(cells.flatMap(({ bar: [from, to] }) => [from, to]));
    const r = over(cells.flatMap(({ bar: [, , to, from] }) => [from, to]));
    const name = `log₁₀ η₀ = ${numberText(estimate?.threshold ?? 0, 2)}`;
    const threshold: readonly Mark[] = estimate
      ? [{ kind: "rule", colour: "ink", x: estimate.threshold, name }]
      : [];
    return {
      title: "Nearest neighbours in space, time and magnitude",
      x: { ...t, label: "Rescaled time, log₁₀ T" },
      panels: [
        {
          ...panelOf(
            "Number of events",
            170,
            {
              ...{ kind: "bars", name: "events", colour: 0, isPale: true },
              bars: bins.map(({ from, to, count }) => [from, to, count]),
            },
            ...curvesOf(neighbours),
            ...threshold,
          ),
          x: {
            ...{ kind: "linear", from: bins[0]?.from ?? -10, to: bins.at(-1)?.to ?? 0 },
            label: "Nearest-neighbour distance, log₁₀ η",
          },
        },
        {
          height: 276,
          y: { ...r, label: "Rescaled distance, log₁₀ R" },
          marks: [
            ...shades(cells, mostIn(series), theme),
            ...(estimate ? diagonal(estimate.threshold, t, r) : []),
            ...shadeKeys(series, theme),
          ],
        },
      ],
      facts: told(neighbours, "distances", ({ n, background, ashmanD }) => [
        `n = ${numberText(n)}`,
        `${numberText(background)} background`,
        ashmanD !== null && `Ashman’s D ${numberText(ashmanD, 2)}`,
      ]),
      notes: [`df ${parameters["df"]}, b ${parameters["b"]}`],
      of: [neighbours],
    };
  },
};

/** The events of a plot, how they were chosen, and the papers of its methods. */
export function notesOf([first, ...others]: readonly Analysed[]): string[] {
  if (first === undefined) return [];
  const { events, start, end } = first.input;
  const filters = filtersInWords(first.filters);
  const references = [first, ...others].flatMap(({ reference }) => reference ?? []);
  return [
    `${numberText(events)} events`,
    ...(start === null || end === null ? [] : [`${start.slice(0, 10)} to ${end.slice(0, 10)}`]),
    ...(filters.length === 0 ? [] : [filters.join(", ")]),
    ...(references.length === 0 ? [] : [[...new Set(references)].join("; ")]),
  ];
}

/** What is told of an estimate, or why there is none. */
function told<E>(
  { estimate, reason }: { readonly estimate: E | null; readonly reason?: string | undefined },
  what: string,
  textsOf: (estimate: E) => readonly (string | false)[],
): readonly string[] {
  if (estimate === null) return [`no ${what}: ${reason}`];
  return textsOf(estimate).filter((text) => text !== false);
}

/** Standard errors on each side that hold 95 % of a normal distribution. */
const OF_95_PERCENT = 1.96;

/** A parameter as the answer shows it. */
function numberOf({ parameters }: Pick<Answer<typeof getRates>, "parameters">, name: string) {
  return Number(parameters[name]);
}

function filledOf<B extends { readonly count: number }>(bins: readonly B[]): readonly B[] {
  return bins.filter(({ count }) => count > 0);
}

function mostIn(cells: readonly { readonly count: number }[]): number {
  return cells.reduce((most, { count }) => Math.max(most, count), 0);
}

/** The least powers of ten around positive values. */
function logOver(values: readonly number[]): Scale {
  const [low, high] = rangeOf(values.filter((value) => value > 0)) ?? [1, 10];
  const from = 10 ** Math.floor(Math.log10(low) + 1e-9);
  const to = 10 ** Math.ceil(Math.log10(high) - 1e-9);
  return { kind: "log", from, to: to > from ? to : from * 10 };
}

function symbols(shape: "square" | "triangle", colour: 0 | 1, name: string) {
  return { kind: "discs", isHollow: true, shape, colour, name } as const;
}

const STEPS = 200;

/** Points of a curve in equal steps from 0 to 1. */
function along(at: (share: number) => readonly [x: number, y: number]) {
  return Array.from({ length: STEPS + 1 }, (_, i) => at(i / STEPS));
}

function lawOf(
  { bins = [] }: Plots["magnitude-frequency"]["frequency"],
  { estimate }: Fit,
): readonly Mark[] {
  if (estimate === null) return [];
  const { mc, b, sigma } = estimate;
  const from = bins.find(({ magnitude }) => magnitude >= mc - 1e-9);
  if (from === undefined) return [];
  const atMc = Math.log10(from.cumulative);
  const high = Math.min(mc + atMc / b, bins.at(-1)?.magnitude ?? mc);
  return [
    { kind: "rule", name: `Mc = ${numberText(mc)}`, colour: "ink", x: mc },
    {
      ...{ kind: "line", name: `b = ${withError(b, sigma)}`, colour: "ink" },
      points: [mc, high].map((m) => [m, 10 ** (atMc - b * (m - mc))]),
    },
  ];
}

/** The two fitted normal distributions as numbers in bins. */
function curvesOf({ estimate, bins = [] }: Plots["nearest-neighbour"]["neighbours"]) {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!estimate || !first || !last) return [];
  const { weight, means, sigmas, n } = estimate;
  if (weight === null || means === null || sigmas === null) return [];
  const binWidth = first.to - first.from;
  return ([weight, 1 - weight] as const).map((share, part) => {
    const [mean, sigma] = [means[part] ?? 0, sigmas[part] ?? 1];
    const points = along((at) => {
      const logEta = first.from + (last.to - first.from) * at;
      const density = Math.exp(-0.5 * ((logEta - mean) / sigma) ** 2) / sigma / ROOT_2_PI;
      return [logEta, n * share * binWidth * density];
    });
    const look = part === 0 ? CLUSTERED : BACKGROUND;
    return { kind: "line", ...look, points } as const;
  });
}

const CLUSTERED = { name: "clustered part", colour: 3 } as const;
const BACKGROUND = { name: "background part", colour: 2 } as const;
const ROOT_2_PI = Math.sqrt(2 * Math.PI);

/** Where T and R multiply to the threshold. */
function diagonal(threshold: number, t: Scale, r: Scale): readonly Mark[] {
  const from = Math.max(t.from, threshold - r.to);
  const to = Math.min(t.to, threshold - r.from);
  if (from >= to) return [];
  const points = [from, to].map((at) => [at, threshold - at] as const);
  return [{ kind: "line", isDashed: true, colour: "ink", points }];
}

type Cell = {
  readonly bar: readonly [from: number, to: number, high: number, low: number];
  readonly count: number;
};

/** Cells shaded by the logarithm of their numbers, those of one number as one mark. */
function shades(cells: readonly Cell[], most: number, theme: Ground["theme"]): readonly Mark[] {
  const counts = Map.groupBy(cells, ({ count }) => count);
  return [...counts].map(([count, alike]) => ({
    ...{ kind: "bars", isClose: true, colour: shadeOf(count, most, theme) },
    bars: alike.map(({ bar }) => bar),
  }));
}

/** The shades of some numbers, for the legend. */
function shadeKeys(cells: readonly { readonly count: number }[], theme: Ground["theme"]): Mark[] {
  if (cells.length === 0) return [];
  const most = mostIn(cells);
  const named = logTicks(1, most).flatMap(({ at, text }) => (text === null ? [] : [at]));
  return [...new Set([...named, most])].map((count, i, all) => ({
    ...{ kind: "bars", colour: shadeOf(count, most, theme), bars: [] },
    name: i < all.length - 1 ? numberText(count) : `${numberText(count)} events in a cell`,
  }));
}

/** Viridis from few to many (van der Walt and Smith, 2015), ordered also for the colour-blind. */
const VIRIDIS = [
  [68, 1, 84],
  [71, 44, 122],
  [59, 81, 139],
  [44, 113, 142],
  [33, 144, 141],
  [39, 173, 129],
  [92, 200, 99],
  [170, 220, 50],
  [253, 231, 37],
] as const;
/** The part of the scale, from few to many, that the ground leaves readable. */
const RAMPS = { light: [0.9, 0], dark: [0.25, 1] } as const;

function shadeOf(count: number, most: number, theme: Ground["theme"]): `rgb(${string})` {
  const [few, many] = RAMPS[theme];
  const share = few + ((many - few) * Math.log(count)) / Math.log(Math.max(2, most));
  const at = share * (VIRIDIS.length - 1);
  const [below, above] = [VIRIDIS[Math.floor(at)] ?? [], VIRIDIS[Math.ceil(at)] ?? []];
  const parts = below.map((part, i) => Math.round(part + ((above[i] ?? 0) - part) * (at % 1)));
  return `rgb(${parts.join(",")})`;
}

const MAP_HEIGHT = { min: 246, max: 566 } as const;

/** A frame around cells in which a degree is as long in both directions in the middle of the map. */
function mapOf(bars: readonly Cell["bar"][], cell: number, wide: number) {
  const [west, east] = rangeOf(bars.flatMap((bar) => bar.slice(0, 2))) ?? [-180, 180];
  const [south, north] = rangeOf(bars.flatMap((bar) => bar.slice(2))) ?? [-90, 90];
  const across = east - west + 2 * cell;
  const [from, to] = [Math.max(-90, south - cell), Math.min(90, north + cell)];
  const shrink = Math.max(0.1, Math.cos((((from + to) / 2) * Math.PI) / 180));
  const ideal = (wide * (to - from)) / (across * shrink);
  const height = Math.round(Math.min(MAP_HEIGHT.max, Math.max(MAP_HEIGHT.min, ideal)));
  const perDegree = Math.min(height / (to - from), wide / (across * shrink));
  const around = (low: number, high: number, length: number): Scale => {
    const [middle, half] = [(low + high) / 2, Math.max(high - low, length) / 2];
    return { kind: "linear", from: middle - half, to: middle + half };
  };
  return {
    x: around(west - cell, east + cell, wide / perDegree / shrink),
    y: around(from, to, height / perDegree),
    height,
  };
}

/**
 * Where a map of some longitudes begins, degrees: after the widest gap between them, so that a region
 * at the 180th meridian is not torn apart.
 */
function westernEdge(longitudes: readonly number[]): number {
  const sorted = [...new Set(longitudes)].toSorted((a, b) => a - b);
  const first = sorted[0] ?? -180;
  let edge = first;
  let widest = first + 360 - (sorted.at(-1) ?? first);
  for (const [i, longitude] of sorted.entries()) {
    const gap = longitude - (sorted[i - 1] ?? longitude);
    if (gap > widest) {
      widest = gap;
      edge = longitude;
    }
  }
  return edge;
}

/** 175°E, 0°, 179.5°W. */
function longitudeText(longitude: number): string {
  const wrapped = ((((longitude + 180) % 360) + 360) % 360) - 180;
  return degreesText(wrapped, "E", "W", 180);
}

function degreesText(value: number, above: string, below: string, neither: number): string {
  const rounded = Math.round(value * 1e6) / 1e6;
  const size = Math.abs(rounded);
  const side = size === 0 || size === neither ? "" : rounded > 0 ? above : below;
  return `${size}°${side}`;
}
