import type { CalendarUnit } from "#contracts/analytics/calendar.ts";
import { invalid, Refusal } from "#contracts/errors.ts";
import {
  type AnalysisInput,
  type AnalysisWarning,
  CELL,
  DEPTH_BIN,
  LOG_BIN,
  OMORI_START,
} from "#contracts/http/analytics/statistics.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/time.ts";
import { DAY_MS } from "#contracts/units.ts";
import {
  type Aftershocks,
  aftershocks,
  type CellCounts,
  cellCounts,
  countsByUnit,
  type DepthCount,
  depthCounts,
  type FrequentDepth,
  frequentDepths,
  type IntervalRow,
  intervalRow,
  type MainEvent,
  mainEvent,
  momentsByUnit,
  type SummaryRow,
  summaryRows,
  type UnitMoment,
} from "#projections/read/analytics/counts.ts";
import { uuidOrNull } from "#projections/read/lists.ts";
import { binsOf, compensatedSum, noEstimate } from "../domain/analytics/numbers/numerics.ts";
import { FREQUENT_SHARE, fixedDepths } from "../domain/analytics/quality.ts";
import {
  type CalendarBin,
  calendarBins,
  type Period,
  type RateBin,
  rateBins,
} from "../domain/analytics/rates/calendar-bins.ts";
import { fitDecay } from "../domain/analytics/rates/omori-utsu.ts";
import {
  isMomentType,
  type MomentGroup,
  totalMoment,
} from "../domain/analytics/rates/seismic-moment.ts";
import type { Handlers } from "../handler.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { analyse, countsOf, inputOf, inputOfAll, inputWithTypes } from "./analyse.ts";
import { doublesOf } from "./doubles.ts";

export const handlersOfRates = (deps: HandlerDeps) =>
  ({
    getRates: (call) => {
      const { bin = "month" } = call.query;
      return analyse(deps, call, {
        method: "rates",
        parameters: { bin },
        reference: null,
        find: async (pool, selection) => {
          const rows = await countsByUnit(pool, selection, bin);
          const input = inputOf(rows, selection.filters);
          const period = periodOf(input, selection.filters, bin);
          const counts = new Map(rows.map(({ unit, count }) => [unit, count]));
          const bins = period === null ? [] : rateBins(bin, counts, period);
          return {
            input,
            outcome: ratesOutcome(bins, input),
            bins: bins.map((rate) => ({ ...rate, ...timesOf(rate) })),
          };
        },
      });
    },

    getMoment: (call) => {
      const { bin = "year", types } = call.query;
      return analyse(deps, call, {
        method: "moment",
        parameters: { bin, ...(types && { types }) },
        reference: "IASPEI 2013",
        find: async (pool, selection) => {
          const rows = await momentsByUnit(pool, selection, bin);
          const input = inputWithTypes(rows, selection.filters);
          const period = periodOf(input, selection.filters, bin);
          const taken = rows.filter(({ type }) => types === "all" || isMomentType(type));
          const left = countsOf(
            rows.flatMap((row) => (taken.includes(row) ? [] : [[row.type, row.withMagnitude]])),
          );
          const groups = groupsByUnit(taken);
          const units =
            period === null
              ? []
              : calendarBins(bin, groups, { period, empty: [] as MomentGroup[] });
          return {
            input,
            outcome: momentOutcome([...groups.values()].flat(), left),
            bins: momentBins(units),
            warnings: warningsOf(left),
          };
        },
      });
    },

    getInterEventTimes: (call) => {
      const { bin = LOG_BIN.default } = call.query;
      return analyse(deps, call, {
        method: "inter-event",
        parameters: { bin },
        reference: "Kagan & Jackson 1991",
        find: async (pool, selection) => {
          const row = await intervalRow(pool, selection, bin);
          const { start, end, events: count } = row;
          return {
            input: inputOfAll({ count, start, end }, selection.filters),
            outcome: intervalOutcome(row),
            bins: intervalBins(row, bin),
          };
        },
      });
    },

    getOmori: (call) => {
      const { mainshock, start = OMORI_START.default, end, radiusKm } = call.query;
      const mainId = uuidOrNull(mainshock);
      if (mainId === null && radiusKm !== undefined) {
        throw invalid(
          "radiusKm",
          "needs the main event's id, as its place is not known by its time",
        );
      }
      if (end !== undefined && end <= start) throw invalid("end", "must be above start");
      const parameters = {
        mainshock,
        start,
        ...(end !== undefined && { end }),
        ...(radiusKm !== undefined && { radiusKm }),
      };
      return analyse(deps, call, {
        method: "omori",
        parameters,
        reference: "Utsu 1961; Ogata 1983",
        find: async (pool, selection, { asker, leave }) => {
          const main = mainId === null ? null : await mainEvent(pool, selection, mainId);
          if (mainId !== null && main === null)
            throw new Refusal("NOT_FOUND", "No such main event");
          const mainTime = main?.start ?? mainshock;
          const lastDay = end ?? daysBetween(mainTime, selection.filters.endTime);
          const circle = circleOf(main, radiusKm);
          const read = (limit: number) =>
            aftershocks(pool, selection, { mainTime, mainId, circle, start, end: lastDay, limit });
          const shocks = await read(MAX_AT_ONCE);
          requireFew(shocks);
          const window = { start, end: lastDay ?? shocks.last ?? start };
          const fitInThread = () => {
            leave();
            const readAll = async () => ({ days: daysOf(await read(MAX_AFTERSHOCKS)), window });
            return deps.threads.statistics.run("fitAftershocks", readAll, asker);
          };
          const { fit, bins } =
            shocks.inWindow > MAX_AT_ONCE
              ? await fitInThread()
              : fitDecay(doublesOf(daysOf(shocks)), window);
          const { warnings, ...outcome } = fit;
          return {
            input: inputOfAll({ ...shocks, count: shocks.events }, selection.filters),
            parameters: { ...parameters, mainTime, end: window.end },
            outcome,
            bins,
            warnings,
          };
        },
      });
    },
  }) satisfies Partial<Handlers>;

function ratesOutcome(bins: readonly RateBin[], { events, years }: AnalysisInput) {
  const [first] = bins;
  if (events === 0 || first === undefined) {
    return noEstimate("there are no events", 0, 1);
  }
  const fullest = bins.reduce((most, bin) => (bin.count > most.count ? bin : most), first);
  return {
    estimate: {
      n: events,
      bins: bins.length,
      filled: bins.filter(({ count }) => count > 0).length,
      max: fullest.count,
      maxStart: timesOf(fullest).start,
      perYear: years === null || years === 0 ? null : events / years,
    },
  };
}

const UNIT_MS: Readonly<Record<CalendarUnit, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 28 * DAY_MS,
  year: 365 * DAY_MS,
};

/** The days of 270 years. */
const MAX_BINS = 100_000;

/**
 * From startTime or the first event to endTime or the last; null where there is neither.
 * @throws Refusal VALIDATION_ERROR for more than 100,000 units
 */
function periodOf(
  { start, end }: Pick<AnalysisInput, "start" | "end">,
  { startTime, endTime }: EventFilters,
  unit: CalendarUnit,
): Period | null {
  const first = startTime ?? start;
  const last = endTime ?? end;
  if (first === null || last === null) return null;
  const period = { from: timeToMilliseconds(first), to: timeToMilliseconds(last) };
  if ((period.to - period.from) / UNIT_MS[unit] > MAX_BINS) {
    const message = `there would be more than ${MAX_BINS} bins: take a larger unit or less time`;
    throw invalid("bin", message);
  }
  return period;
}

/** The times of a bin as an answer shows them. */
function timesOf({ start, end }: Pick<CalendarBin<unknown>, "start" | "end">) {
  return { start: isoSeconds(start), end: isoSeconds(end) };
}

function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(".000Z", "Z");
}

/** Moments are shown with fewer digits than the order of their addition can change. */
const DIGITS = 12;

function groupsByUnit(rows: readonly UnitMoment[]): Map<number, MomentGroup[]> {
  const groups = new Map<number, MomentGroup[]>();
  for (const { unit, moment, largest, withMagnitude: count } of rows) {
    if (moment === null || largest === null) continue;
    const known = groups.get(unit) ?? [];
    known.push({ count, moment, largest });
    groups.set(unit, known);
  }
  return groups;
}

type LeftOut = ReturnType<typeof countsOf>;

function momentOutcome(groups: readonly MomentGroup[], left: LeftOut) {
  const total = totalMoment(groups);
  if (total === null) {
    return noEstimate("no event has a magnitude to add", 0, 1);
  }
  return {
    estimate: {
      ...total,
      total: rounded(total.total),
      mw: rounded(total.mw),
      largestShare: rounded(total.largestShare),
      energy: rounded(total.energy),
      excluded: left.reduce((sum, { n }) => sum + n, 0),
    },
  };
}

function momentBins(units: ReturnType<typeof calendarBins<readonly MomentGroup[]>>) {
  const moments = units.map(({ value }) => compensatedSum(value.map(({ moment }) => moment)));
  let cumulative = 0;
  return units.map((unit, i) => {
    const moment = moments[i] ?? 0;
    cumulative += moment;
    return {
      ...timesOf(unit),
      partial: unit.partial,
      count: unit.value.reduce((sum, { count }) => sum + count, 0),
      moment: rounded(moment),
      cumulative: rounded(cumulative),
    };
  });
}

function warningsOf(left: LeftOut): AnalysisWarning[] {
  if (left.length === 0) return [];
  const names = left.map(({ type, n }) => `${n} of ${type}`).join(", ");
  const message = `magnitudes that do not stand for Mw are left out (${names}); types=all takes them`;
  return [{ code: "EXCLUDED_MAGNITUDE_TYPES", message }];
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}

/** Two times, of which a standard deviation can be had. */
const REQUIRED = 3;

function intervalOutcome({ events, n, mean, median, min, max, deviation, zeros }: IntervalRow) {
  if (mean === null || median === null || min === null || max === null || deviation === null) {
    return noEstimate("variation needs two times between events", events, REQUIRED);
  }
  const cv = mean === 0 ? null : deviation / mean;
  return { estimate: { n, mean, median, min, max, cv, zeros } };
}

/** From the shortest to the longest time, empty bins too. */
function intervalBins({ bins }: IntervalRow, width: number) {
  const counts = new Map(bins);
  if (counts.size === 0) return [];
  const first = Math.min(...counts.keys());
  return Array.from({ length: Math.max(...counts.keys()) - first + 1 }, (_, i) => ({
    from: seconds(startOfLogBin(first + i, width)),
    to: seconds(startOfLogBin(first + i + 1, width)),
    count: counts.get(first + i) ?? 0,
  }));
}

/** Where a bin begins, seconds. */
export function startOfLogBin(bin: number, width: number): number {
  return 10 ** (bin * width);
}

function seconds(value: number): number {
  return Number(value.toPrecision(6));
}

const MAX_AFTERSHOCKS = 1_000_000;

/** A fit of more would hold up other requests: 10 ms on a quiet core. */
const MAX_AT_ONCE = 5_000;

/** @throws Refusal VALIDATION_ERROR for too many in the window */
function requireFew({ inWindow }: Aftershocks): void {
  if (inWindow <= MAX_AFTERSHOCKS) return;
  const [there, most] = [
    `there are ${inWindow} events in the window`,
    `more than ${MAX_AFTERSHOCKS}`,
  ];
  throw invalid("end", `${there}, ${most}: take fewer days or a higher minMagnitude`);
}

function daysOf({ days }: Aftershocks): Uint8Array {
  return days ?? new Uint8Array();
}

function circleOf(main: MainEvent | null, maxRadiusKm: number | undefined) {
  if (main === null || maxRadiusKm === undefined) return null;
  return { latitude: main.latitude, longitude: main.longitude, maxRadiusKm };
}

function daysBetween(from: string, to: string | undefined): number | null {
  if (to === undefined) return null;
  return (timeToMilliseconds(to) - timeToMilliseconds(from)) / DAY_MS;
}

export const handlersOfDistributions = (deps: HandlerDeps) =>
  ({
    getAnalyticsSummary: (call) =>
      analyse(deps, call, {
        method: "summary",
        parameters: {},
        reference: null,
        find: async (pool, selection) => {
          const rows = await summaryRows(pool, selection);
          return {
            input: inputWithTypes(rows, selection.filters),
            outcome: { estimate: summaryOf(rows) },
          };
        },
      }),

    getDepths: (call) => {
      const { bin = DEPTH_BIN.default } = call.query;
      return analyse(deps, call, {
        method: "depths",
        parameters: { bin },
        reference: null,
        find: async (pool, selection) => {
          const plan = { width: bin, frequentShare: FREQUENT_SHARE };
          const rows = await depthCounts(pool, selection, plan);
          const frequent = await frequentDepths(pool, selection, { ...plan, counts: rows });
          return {
            input: inputOf(rows, selection.filters),
            outcome: depthsOutcome(rows, frequent),
            bins: binsOf(countsByDepth(rows), bin, 6),
          };
        },
      });
    },

    getDensity: (call) => {
      const { cell = CELL.default } = call.query;
      return analyse(deps, call, {
        method: "density",
        parameters: { cell },
        reference: null,
        find: async (pool, selection) => {
          const counts = await cellCounts(pool, selection, { size: cell, limit: MAX_CELLS });
          requireFewCells(counts);
          const { start, end, events: count } = counts;
          const bins = densityBins(counts, cell);
          return {
            input: inputOfAll({ count, start, end }, selection.filters),
            outcome: densityOutcome(bins, count),
            bins,
          };
        },
      });
    },
  }) satisfies Partial<Handlers>;

function summaryOf(rows: readonly SummaryRow[]) {
  const sum = (pick: (row: SummaryRow) => number) =>
    rows.reduce((total, row) => total + pick(row), 0);
  const events = sum(({ count }) => count);
  return {
    events,
    magnitude: {
      ...rangeOf(rows, "minMagnitude", "maxMagnitude"),
      missing: events - sum(({ withMagnitude }) => withMagnitude),
    },
    depth: {
      ...rangeOf(rows, "minDepth", "maxDepth"),
      missing: events - sum(({ withDepth }) => withDepth),
    },
    latitude: rangeOf(rows, "minLatitude", "maxLatitude"),
    longitude: rangeOf(rows, "minLongitude", "maxLongitude"),
    eventTypes: countsOf(rows.map(({ eventType, count }) => [eventType, count])),
  };
}

type BoundName = Extract<keyof SummaryRow, `${"min" | "max"}${string}`>;

/** Both null where no event has the attribute. */
function rangeOf(rows: readonly SummaryRow[], low: BoundName, high: BoundName) {
  const lows = rows.flatMap((row) => row[low] ?? []);
  const highs = rows.flatMap((row) => row[high] ?? []);
  return lows.length === 0
    ? { min: null, max: null }
    : { min: Math.min(...lows), max: Math.max(...highs) };
}

function depthsOutcome(rows: readonly DepthCount[], frequent: readonly FrequentDepth[]) {
  const known = rows.filter(({ bin }) => bin !== null);
  const n = sumOf(known, "count");
  if (n === 0) {
    return noEstimate("no event has a depth", n, 1);
  }
  const rare = {
    depth: null,
    count: n - sumOf(frequent, "count"),
    assigned: sumOf(known, "assigned") - sumOf(frequent, "assigned"),
  };
  const fixed = fixedDepths([...frequent, rare]);
  return { estimate: { n, missing: sumOf(rows, "count") - n, fixed } };
}

function sumOf<N extends "count" | "assigned">(
  rows: readonly Readonly<Record<N, number>>[],
  name: N,
): number {
  return rows.reduce((sum, row) => sum + row[name], 0);
}

function countsByDepth(rows: readonly DepthCount[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { bin, count } of rows) {
    if (bin !== null) counts.set(bin, count);
  }
  return counts;
}

/** About 15 MB of an answer. */
const MAX_CELLS = 250_000;

function requireFewCells({ cells }: CellCounts): void {
  if (cells <= MAX_CELLS) return;
  const message = `there are ${cells} cells with events, more than ${MAX_CELLS}: take larger ones`;
  throw invalid("cell", message);
}

type Cell = { readonly latitude: number; readonly longitude: number; readonly count: number };

function densityBins({ latitudes, longitudes, counts }: CellCounts, size: number): Cell[] {
  return counts.map((count, i) => ({
    latitude: edgeOfCell(latitudes[i] ?? 0, size),
    longitude: edgeOfCell(longitudes[i] ?? 0, size),
    count,
  }));
}

/** Where a cell begins, degrees: its southern or western edge. */
export function edgeOfCell(cell: number, size: number): number {
  return Number((cell * size).toFixed(9));
}

function densityOutcome(cells: readonly Cell[], n: number) {
  const [first] = cells;
  if (first === undefined) {
    return noEstimate("there are no events", 0, 1);
  }
  const {
    latitude,
    longitude,
    count: max,
  } = cells.reduce((most, cell) => (cell.count > most.count ? cell : most), first);
  return { estimate: { n, cells: cells.length, max, maxAt: { latitude, longitude } } };
}
