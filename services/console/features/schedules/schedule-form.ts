import { type CarriedSettings, carriedIn } from "../../model/schedule-address.ts";
import { BOUNDS, numbersOf } from "../../model/typed-bounds.ts";
import type { Schedule } from "./schedule.ts";

/** What the form holds, as it was typed. */
export type ScheduleForm = CarriedSettings & {
  readonly everyMinutes: string;
  readonly withdrawn: Schedule["withdrawn"];
  readonly push: boolean;
  /** Of a table: whether its rows are added to events that are there. */
  readonly isJoined: boolean;
};

/** Of a new schedule, with what the address says. */
export function newForm(query: URLSearchParams): ScheduleForm {
  return {
    ...carriedIn(query),
    everyMinutes: "60",
    withdrawn: "keep",
    push: false,
    isJoined: false,
  };
}

export function formOf(schedule: Schedule): ScheduleForm {
  const { agency, detail, updateExisting, withdrawn, push } = schedule;
  const isJoined = schedule.join !== undefined;
  const bounds = BOUNDS.map(({ field }) => [field, String(schedule[field] ?? "")] as const);
  return {
    ...{ agency, detail, updateExisting, withdrawn, push, isJoined },
    everyMinutes: String(schedule.everyMinutes),
    lookbackHours: String(schedule.lookbackHours),
    bounds: Object.fromEntries(bounds),
  };
}

const UNBOUNDED = Object.fromEntries(BOUNDS.map(({ field }) => [field, null]));

/** All settings but how a table is read; bounds that are left empty are none. */
export function settingsOf({
  everyMinutes,
  lookbackHours,
  bounds,
  isJoined: _,
  ...rest
}: ScheduleForm) {
  return {
    ...rest,
    everyMinutes: Number(everyMinutes),
    lookbackHours: Number(lookbackHours),
    ...UNBOUNDED,
    ...numbersOf(bounds),
  };
}
