import type { ImportFilters } from "#contracts/import-run.ts";
import { makeScheduleCommand } from "#services/commands/schedules/change-schedules.ts";
import type { Random } from "../../../fuzz/random.ts";
import {
  type SimulatedAgency,
  startSimulatedAgency,
} from "../../../support/agency/life/simulated-agency.ts";
import { UNBOUNDED } from "../../../support/agency/unbounded.ts";
import { createdFrom, generatedRecords } from "../../catalogues/catalogue-scene.ts";
import { newCommand } from "../../catalogues/use-catalogues.ts";
import { type Lane, type LifeScene, MAKER } from "./use-life.ts";

/** Events of its catalogue that are no agency's. */
export const OWN = 3;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Shorter than a life, so that events leave the window. */
export const LOOKBACK_HOURS = 80 * 24;
/** Events are revised for weeks: runs see most of them before and after. */
const SPAN_MS = 100 * DAY;
const DIALECTS = ["fdsn", "geonet", "comcat", "seiscomp", "emsc", "isc"] as const;
const EVENTS = 36;
/** The precision of times in ISF. */
const ISF_MS = 10;
const STRONG: ImportFilters = { ...UNBOUNDED, minMagnitude: 2 };

/** A schedule, its agency, and the catalogue that it keeps current. */
export type Subject = {
  readonly scene: LifeScene;
  readonly lane: Lane;
  readonly catalogueId: string;
  readonly scheduleId: string;
  readonly agency: SimulatedAgency;
  readonly withdrawn: "mark" | "remove" | "keep";
  readonly filters: ImportFilters;
  /** Milliseconds of its times. */
  readonly precision: number;
  readonly own: ReadonlySet<string>;
};

/** A subject from a seed, whose agency has no event yet. */
export async function begin(
  scene: LifeScene,
  lane: Lane,
  seed: number,
  random: Random,
): Promise<Subject> {
  const dialect = random.pick(DIALECTS);
  const detail = random.chance(0.25) ? "summary" : "full";
  const filters = random.chance(0.25) ? STRONG : UNBOUNDED;
  const agency = await startSimulatedAgency({
    seed,
    dialect,
    eventCount: EVENTS,
    spanMs: SPAN_MS,
    lies: 0.3,
    outageEveryMs: 15 * HOUR,
    picks: 1,
    ...(dialect === "emsc" && { cap: 10 }),
    // Else a summary is, which is made of its text.
    ...(detail === "summary" && { rounded: false }),
  });
  lane.agency.current = { url: agency.url, dialect, ...(dialect === "emsc" && { cap: 10 }) };
  const { context } = lane;
  const catalogueId = await createdFrom(context, generatedRecords(seed, OWN), newCommand(MAKER));
  const { rows } = await scene.catalogues.projectorPool.query<{ id: string }>(
    "select event_id as id from read_model.seismic_events where catalogue_key = (select key from read_model.catalogues where id = $1)",
    [catalogueId],
  );
  const withdrawn = random.pick(["mark", "remove", "remove", "keep"] as const);
  const scheduleId = await makeScheduleCommand(context, newCommand(MAKER), catalogueId, {
    agency: "simulated",
    everyMinutes: 60,
    lookbackHours: LOOKBACK_HOURS,
    filters,
    detail,
    updateExisting: true,
    withdrawn,
    push: false,
    paused: false,
    pausedBecause: null,
  });
  return {
    scene,
    lane,
    catalogueId,
    scheduleId,
    agency,
    withdrawn,
    filters,
    precision: dialect === "isc" && detail === "full" ? ISF_MS : 1,
    own: new Set(rows.map(({ id }) => id)),
  };
}
