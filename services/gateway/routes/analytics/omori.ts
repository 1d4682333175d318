import { Refusal } from "#contracts/errors.ts";
import { OMORI_START } from "#contracts/http/analytics-omori.ts";
import type { EventFilters } from "#contracts/query/filter-parameters.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import {
  type Aftershocks,
  aftershocks,
  type MainEvent,
  mainEvent,
} from "#projections/queries/analytics/aftershocks.ts";
import { uuidOrNull } from "#projections/queries/sql-values.ts";
import { decayBins } from "#services/domain/statistics/rates/omori/decay-bins.ts";
import type { OmoriWindow } from "#services/domain/statistics/rates/omori/omori-integrals.ts";
import { omoriUtsu } from "#services/domain/statistics/rates/omori/omori-utsu.ts";
import type { MakeHandler } from "../make-handler.ts";
import { analyse } from "./analyse.ts";
import { inputOf } from "./input.ts";

/** A fit of more would hold up other requests. */
const MAX_AFTERSHOCKS = 100_000;

const DAY_MS = 86_400_000;

export const getOmoriHandler: MakeHandler<"getOmori", "reads" | "keptAnalyses"> =
  (deps) => (call) => {
    const { mainshock, start = OMORI_START.default, end, radiusKm } = call.query;
    const mainId = uuidOrNull(mainshock);
    if (mainId === null && radiusKm !== undefined) {
      throw faulty("radiusKm", "needs the main event's id, as its place is not known by its time");
    }
    if (end !== undefined && end <= start) throw faulty("end", "must be above start");
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
      find: async (pool, selection) => {
        const main = mainId === null ? null : await mainEvent(pool, selection, mainId);
        if (mainId !== null && main === null) throw new Refusal("NOT_FOUND", "No such main event");
        const mainTime = main?.start ?? mainshock;
        const givenEnd = end ?? daysBetween(mainTime, selection.filters.endTime);
        const found = await aftershocks(pool, selection, {
          mainTime,
          mainId,
          circle: circleOf(main, radiusKm),
          start,
          end: givenEnd,
          limit: MAX_AFTERSHOCKS,
        });
        const window = { start, end: givenEnd ?? found.last ?? start };
        return {
          parameters: { ...parameters, mainTime, end: window.end },
          ...findingsOf(found, window, selection.filters),
        };
      },
    });
  };

function findingsOf(found: Aftershocks, window: OmoriWindow, filters: EventFilters) {
  const { events: count, start, end } = found;
  const days = Float64Array.from(requireFew(found));
  const { warnings, ...outcome } = omoriUtsu(days, window);
  return {
    input: inputOf(start === null || end === null ? [] : [{ count, start, end }], filters),
    outcome,
    bins: decayBins(days, window, outcome.estimate),
    warnings,
  };
}

function requireFew({ days, inWindow }: Aftershocks): readonly number[] {
  if (days !== null) return days;
  throw faulty(
    "end",
    `there are ${inWindow} events in the window, more than ${MAX_AFTERSHOCKS}: take fewer days or a higher minMagnitude`,
  );
}

function circleOf(main: MainEvent | null, maxRadiusKm: number | undefined) {
  if (main === null || maxRadiusKm === undefined) return null;
  return { latitude: main.latitude, longitude: main.longitude, maxRadiusKm };
}

function daysBetween(from: string, to: string | undefined): number | null {
  if (to === undefined) return null;
  return (timeToMilliseconds(to) - timeToMilliseconds(from)) / DAY_MS;
}

function faulty(field: string, message: string): Refusal {
  return new Refusal("VALIDATION_ERROR", `${field}: ${message}`, { details: [{ field, message }] });
}
