import { COLUMN_TARGETS, type NamedColumn } from "#contracts/seismic-event/columns.ts";
import { type CarriedSettings, carriedIn } from "../../model/schedule-address.ts";
import { BOUNDS, numbersOf } from "../../model/typed-bounds.ts";
import { type ColumnRow, columnsOf, type Schedule } from "./schedule.ts";

/** What the form holds, as it was typed. */
export type ScheduleForm = CarriedSettings & {
  readonly everyMinutes: string;
  readonly withdrawn: Schedule["withdrawn"];
  readonly push: boolean;
  /** Of a table: whether its rows are added to events that are there. */
  readonly isJoined: boolean;
  /** Of a table: those whose names do not tell what they are. */
  readonly columns: readonly ColumnRow[];
};

/** Of a new schedule, with what the address says. */
export function newForm(query: URLSearchParams): ScheduleForm {
  return {
    ...carriedIn(query),
    everyMinutes: "60",
    withdrawn: "keep",
    push: false,
    isJoined: false,
    columns: [],
  };
}

export function formOf(schedule: Schedule): ScheduleForm {
  const { agency, detail, updateExisting, withdrawn, push } = schedule;
  const isJoined = schedule.join !== undefined;
  const columns = columnsOf(schedule);
  const bounds = BOUNDS.map(({ field }) => [field, String(schedule[field] ?? "")] as const);
  return {
    ...{ agency, detail, updateExisting, withdrawn, push, isJoined, columns },
    everyMinutes: String(schedule.everyMinutes),
    lookbackHours: String(schedule.lookbackHours),
    bounds: Object.fromEntries(bounds),
    region: schedule.region ?? "",
  };
}

const UNBOUNDED = Object.fromEntries(BOUNDS.map(({ field }) => [field, null]));

/** All settings but how a table is read; bounds that are left empty are none. */
export function settingsOf({
  everyMinutes,
  lookbackHours,
  bounds,
  region,
  isJoined: _,
  columns: __,
  ...rest
}: ScheduleForm) {
  return {
    ...rest,
    everyMinutes: Number(everyMinutes),
    lookbackHours: Number(lookbackHours),
    ...UNBOUNDED,
    ...numbersOf(bounds),
    region: region === "" ? null : region,
  };
}

/** How a table is read: whether its rows join events, and what its columns are; null where nothing is said. */
export function readingOf({ isJoined, columns }: ScheduleForm): {
  readonly join: "source_id" | null;
  readonly columns: Readonly<Record<string, NamedColumn>> | null;
} {
  const named = columns.filter(({ name }) => name.trim() !== "");
  const targets = named.map(({ name, target, unit }) => {
    const attribute = COLUMN_TARGETS.find((one) => one === target) ?? null;
    return [name.trim(), attribute && unit ? { attribute, unit } : attribute];
  });
  return {
    join: isJoined ? "source_id" : null,
    columns: targets.length === 0 ? null : Object.fromEntries(targets),
  };
}
