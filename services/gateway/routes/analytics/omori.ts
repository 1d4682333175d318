import { invalid, Refusal } from "#contracts/errors.ts";
import { OMORI_START } from "#contracts/http/analytics/omori.ts";
import { timeToMilliseconds } from "#contracts/seismic-event/origin-time.ts";
import { DAY_MS } from "#contracts/units.ts";
import {
  type Aftershocks,
  aftershocks,
  type MainEvent,
  mainEvent,
} from "#projections/read/analytics/sequences.ts";
import { uuidOrNull } from "#projections/read/lists.ts";
import { doublesOf } from "#services/analytics/doubles.ts";
import { fitDecay } from "#services/domain/analytics/rates/omori-utsu.ts";
import { analyse, type MakeAnalysis } from "./analysis/analyse.ts";
import { inputOfAll } from "./analysis/input.ts";

const MAX_AFTERSHOCKS = 1_000_000;

/** A fit of more would hold up other requests: 10 ms on a quiet core. */
const MAX_AT_ONCE = 5_000;

export const getOmoriHandler: MakeAnalysis<"getOmori", "threads"> = (deps) => (call) => {
  const { mainshock, start = OMORI_START.default, end, radiusKm } = call.query;
  const mainId = uuidOrNull(mainshock);
  if (mainId === null && radiusKm !== undefined) {
    throw invalid("radiusKm", "needs the main event's id, as its place is not known by its time");
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
      if (mainId !== null && main === null) throw new Refusal("NOT_FOUND", "No such main event");
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
};

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
