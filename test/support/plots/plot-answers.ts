import { histogramOf, magnitudeOf } from "#contracts/analytics/histogram.ts";
import type { Plots } from "#infra/plots/charts.ts";
import { proximityDistribution } from "#services/domain/analytics/declustering/nearest-neighbour.ts";
import { goodnessOfFit } from "#services/domain/analytics/magnitudes/completeness.ts";
import { decayBins, omoriUtsu } from "#services/domain/analytics/rates/omori-utsu.ts";
import { aftershockSequences, syntheticS1, syntheticS3, tableOf } from "../statistics/synthetic.ts";

const BIN_WIDTH = 0.1;
const MC = 1.6;

/** What every answer has. */
function echo(events: number, parameters: Record<string, unknown>, reference: string | null) {
  return {
    catalogue: "0198f7a2-3c1b-7d44-9a51-ffb3a6d2c011",
    version: 3,
    filters: { minMagnitude: 0 },
    method: "of a test",
    parameters,
    input: {
      events,
      start: "2010-01-01T00:00:00.000000Z",
      end: "2019-12-31T12:00:00.000000Z",
      years: 10,
    },
    warnings: [],
    reference,
  };
}

/** Answers of analyses of synthetic catalogues (`../statistics`), as each plot takes them. */
export function plotAnswers(): Plots {
  const magnitudes = syntheticS1();
  const histogram = histogramOf(magnitudes, BIN_WIDTH);
  let cumulative = magnitudes.length;
  const bins = histogram.counts.map((count, i) => {
    const bin = { magnitude: magnitudeOf(histogram.first + i, BIN_WIDTH), count, cumulative };
    cumulative -= count;
    return bin;
  });
  const fits = goodnessOfFit(histogram, { estimator: "tinti-mulargia", minEvents: 50 }).map(
    ({ bin, n, b, sigma, r }) => ({ magnitude: magnitudeOf(bin, BIN_WIDTH), n, b, sigma, r }),
  );
  const { n, b, sigma } = fits.find(({ magnitude }) => magnitude === MC) ?? fits[0] ?? NO_FIT;
  const aAnnual = Math.log10(n / 10) + b * MC;
  const ofFit = { mc: MC, n, b, sigma, sigmaAki: b / Math.sqrt(n), bUnbiased: b, rate: n / 10 };
  const fit = {
    ...echo(magnitudes.length, { binWidth: BIN_WIDTH }, "Tinti & Mulargia 1987"),
    estimate: { ...ofFit, aAnnual },
  };
  const completeness = echo(
    magnitudes.length,
    { binWidth: BIN_WIDTH, method: "maxc" },
    "Wiemer & Wyss 2000",
  );
  const events = aftershockSequences();
  return {
    "magnitude-frequency": {
      frequency: {
        ...echo(magnitudes.length, { binWidth: BIN_WIDTH }, "Gutenberg & Richter 1944"),
        estimate: { n: magnitudes.length, minMagnitude: 0.9, maxMagnitude: 5 },
        bins,
      },
      fit,
    },
    completeness: {
      completeness: { ...completeness, estimate: { mc: MC, n }, bins },
      goodness: { ...completeness, estimate: null, series: fits },
      stability: {
        ...fit,
        series: fits.map(({ magnitude: mc, ...rest }) => ({ mc, ...rest })),
      },
    },
    rates: { rates: ratesOf(events.map(({ time }) => time)) },
    "time-magnitude": {
      events: {
        ...echo(events.length, {}, null),
        estimate: { n: events.length },
        series: events
          .filter((_, i) => i % 24 === 0)
          .map(({ time, magnitude }, i) => {
            const depth = i % 10 === 0 ? null : 12 + 10 * Math.sin(i) * Math.cos(i / 3);
            return { time: new Date(time).toISOString(), magnitude, depth };
          }),
      },
      fit: { ...fit, estimate: { ...fit.estimate, mc: 3, b: 0.98, sigma: 0.0123 } },
    },
    depths: { depths: DEPTHS },
    omori: { omori: omoriOf(Float64Array.from(syntheticS3())) },
    density: { density: densityOf(events) },
    "nearest-neighbour": { neighbours: neighboursOf(events) },
  };
}

const NO_FIT = { n: 0, b: 0, sigma: 0 };

function ratesOf(times: readonly number[]): Plots["rates"]["rates"] {
  let cumulative = 0;
  const bins = Array.from({ length: 120 }, (_, i) => {
    const [start, end] = [Date.UTC(2010, i, 1), Date.UTC(2010, i + 1, 1)];
    const count = times.filter((time) => time >= start && time < end).length;
    cumulative += count;
    const shown = { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
    return { ...shown, partial: i === 119, count, cumulative };
  });
  const max = Math.max(...bins.map(({ count }) => count));
  const filled = bins.filter(({ count }) => count > 0).length;
  const maxStart = bins.find(({ count }) => count === max)?.start ?? "";
  return {
    ...echo(times.length, { bin: "month" }, null),
    estimate: { n: times.length, bins: 120, filled, max, maxStart, perYear: times.length / 10 },
    bins,
  };
}

const DEPTHS: Plots["depths"]["depths"] = {
  ...echo(17_397, { bin: 5 }, null),
  estimate: { n: 17_390, missing: 7, fixed: { count: 7_211, assigned: 7_000, values: [] } },
  bins: [1662, 8082, 3508, 0, 992, 633, 320, 120, 61, 12].map((count, i) => ({
    ...{ from: 5 * i, to: 5 * i + 5 },
    count,
  })),
};

function omoriOf(days: Float64Array): Plots["omori"]["omori"] {
  const window = { start: 0, end: 100 };
  const { warnings, ...outcome } = omoriUtsu(days, window);
  return {
    ...echo(days.length, { mainTime: "2010-01-01T00:00:00Z", ...window }, "Ogata 1983"),
    ...outcome,
    warnings: [...warnings],
    bins: decayBins(days, window, outcome.estimate),
  };
}

/** On both sides of the 180th meridian. */
function densityOf(
  events: readonly { latitude: number; longitude: number }[],
): Plots["density"]["density"] {
  const counts = new Map<string, { latitude: number; longitude: number; count: number }>();
  for (const event of events) {
    const latitude = Math.floor(event.latitude * 4) / 4;
    const east = Math.floor((event.longitude + 7) * 4) / 4;
    const longitude = east >= 180 ? east - 360 : east;
    const cell = counts.get(`${latitude} ${longitude}`) ?? { latitude, longitude, count: 0 };
    cell.count += 1;
    counts.set(`${latitude} ${longitude}`, cell);
  }
  const bins = [...counts.values()];
  const fullest = bins.reduce((most, cell) => (cell.count > most.count ? cell : most));
  const { count: max, ...maxAt } = fullest;
  return {
    ...echo(events.length, { cell: 0.25 }, null),
    estimate: { n: events.length, cells: bins.length, max, maxAt },
    bins,
  };
}

function neighboursOf(
  events: Parameters<typeof tableOf>[0],
): Plots["nearest-neighbour"]["neighbours"] {
  const options = { df: 1.6, b: 1, threshold: null };
  const { estimate, bins, series } = proximityDistribution(tableOf(events), options, () => {});
  return {
    ...echo(events.length, options, "Zaliapin & Ben-Zion 2013"),
    ...{ estimate, bins, series },
  };
}
