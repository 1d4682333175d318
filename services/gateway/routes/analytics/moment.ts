import type { AnalysisWarning } from "#contracts/http/analytics/analytics.ts";
import { momentsByUnit, type UnitMoment } from "#projections/read/analytics/counts.ts";
import { noEstimate } from "#services/domain/analytics/estimate.ts";
import { compensatedSum } from "#services/domain/analytics/numbers/numerics.ts";
import { calendarBins } from "#services/domain/analytics/rates/calendar-bins.ts";
import {
  isMomentType,
  type MomentGroup,
  totalMoment,
} from "#services/domain/analytics/rates/seismic-moment.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { countsOf, inputWithTypes } from "./analysis/input.ts";
import { periodOf, timesOf } from "./calendar-period.ts";

/** Moments are shown with fewer digits than the order of their addition can change. */
const DIGITS = 12;

export const getMomentHandler: MakeAnalysis<"getMoment"> = (deps) => (call) => {
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
        period === null ? [] : calendarBins(bin, groups, { period, empty: [] as MomentGroup[] });
      return {
        input,
        outcome: outcomeOf([...groups.values()].flat(), left),
        bins: momentBins(units),
        warnings: warningsOf(left),
      };
    },
  });
};

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

type Left = ReturnType<typeof countsOf>;

function outcomeOf(groups: readonly MomentGroup[], left: Left) {
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

function warningsOf(left: Left): AnalysisWarning[] {
  if (left.length === 0) return [];
  const names = left.map(({ type, n }) => `${n} of ${type}`).join(", ");
  const message = `magnitudes that do not stand for Mw are left out (${names}); types=all takes them`;
  return [{ code: "EXCLUDED_MAGNITUDE_TYPES", message }];
}

function rounded(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
