import { COLUMN_TARGETS, type NamedColumn } from "#contracts/seismic-event/columns.ts";
import type { AnswerOf } from "../../api/call.ts";
import { BOUNDS, carriedIn, numbersOf } from "../../model/typed-bounds.ts";
import { filterWords } from "../../ui/text/filter-words.ts";
import { counted } from "../../ui/text/format.ts";

export type Schedule = AnswerOf<"GET /api/schedules/:id">["schedule"];

const HOUR = 60;
const DAY = 24 * HOUR;

/** "30 minutes", "hour", "7 days": what stands behind "every" and "the last". */
function span(minutes: number): string {
  const [length, noun] =
    minutes % DAY === 0
      ? [minutes / DAY, "day"]
      : minutes % HOUR === 0
        ? [minutes / HOUR, "hour"]
        : [minutes, "minute"];
  return length === 1 ? noun : counted(length, noun);
}

/** "every hour", "every 30 minutes". */
export function everyText(everyMinutes: number): string {
  return `every ${span(everyMinutes)}`;
}

/** "in an hour", "in 30 minutes": until the first run. */
export function firstText(everyMinutes: number): string {
  const text = span(everyMinutes);
  return `in ${/^\d/.test(text) ? text : text === "hour" ? `an ${text}` : `a ${text}`}`;
}

/** "the last 7 days". */
export function lookbackText(hours: number): string {
  return `the last ${span(hours * HOUR)}`;
}

/** "M ≥ 2, depth ≤ 40 km", or that there are no bounds. */
export function filtersText(schedule: Schedule): string {
  const words = filterWords(schedule);
  return words.length === 0 ? "all magnitudes, depths and places" : words.join(", ");
}

export const DETAILS: Readonly<Record<Schedule["detail"], string>> = {
  full: "all that the agency knows of an event",
  summary: "time, place and magnitude only",
};

/** What becomes of events that the agency has no more. */
export const WITHDRAWN: Readonly<Record<Schedule["withdrawn"], string>> = {
  keep: "stay as they are",
  mark: "stay, marked with the time of their withdrawal",
  remove: "are removed in a new version",
};

/** Between two runs, minutes. */
const INTERVALS = [5, 15, 30, 60, 180, 360, 720, DAY, 7 * DAY];

/** Usual intervals, and the one that is set. */
export function everyOptions(everyMinutes: string) {
  const set = Number(everyMinutes);
  const all = INTERVALS.includes(set) ? INTERVALS : [...INTERVALS, set].toSorted((a, b) => a - b);
  return all.map((minutes) => ({ value: String(minutes), text: everyText(minutes) }));
}

export type Run = AnswerOf<"GET /api/import/history">[number];

/** Runs that follow each other: one that changed something or failed, or all between two of these. */
export type RunGroup = { readonly newest: Run; readonly oldest: Run; readonly count: number };

/** Folds runs in which nothing happened. @param runs newest first */
export function groupsOf(runs: readonly Run[]): readonly RunGroup[] {
  const groups: RunGroup[] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (last && isQuiet(run) && isQuiet(last.newest)) {
      groups[groups.length - 1] = { ...last, oldest: run, count: last.count + 1 };
    } else groups.push({ newest: run, oldest: run, count: 1 });
  }
  return groups;
}

export function isQuiet(run: Run): boolean {
  const { new_events, updated_events, withdrawn_events = 0, withheld = 0, errors } = run;
  return new_events + updated_events + withdrawn_events + withheld === 0 && !errors?.length;
}

/** The schedule that was read whole the longest time ago, or never; a paused one where all are. */
export function leastCurrent(schedules: readonly Schedule[]): Schedule | undefined {
  const running = schedules.filter(({ paused }) => !paused);
  const wholeOf = ({ last_whole }: Schedule) => Date.parse(last_whole ?? "1970-01-01");
  return (running.length > 0 ? running : schedules).toSorted((a, b) => wholeOf(a) - wholeOf(b))[0];
}

/** A column of a table that is left out. */
export const LEFT_OUT = "-";

/** What a column of a table is read as. */
export type ColumnRow = {
  readonly name: string;
  readonly target: string;
  /** Of its numbers, where that is said. */
  readonly unit?: string | undefined;
};

/** What columns of a table a schedule reads, and as what. */
export function columnsOf({ columns = {} }: Schedule): readonly ColumnRow[] {
  return Object.entries(columns).map(([name, named]) =>
    typeof named === "object" && named !== null
      ? { name, target: named.attribute, unit: named.unit }
      : { name, target: named ?? LEFT_OUT },
  );
}

/** What the form holds, as it was typed. */
type ScheduleForm = ReturnType<typeof newForm>;

/** Of a new schedule, with what the address says. */
export function newForm(query: URLSearchParams) {
  return {
    ...carriedIn(query),
    everyMinutes: "60",
    withdrawn: "keep" as Schedule["withdrawn"],
    push: false,
    /** Of a table: whether its rows are added to events that are there. */
    isJoined: false,
    /** Of a table: those whose names do not tell what they are. */
    columns: [] as readonly ColumnRow[],
  };
}

export function formOf(schedule: Schedule): ScheduleForm {
  const { agency, detail, updateExisting, withdrawn, push } = schedule;
  const isJoined = schedule.join !== undefined;
  const columns = columnsOf(schedule);
  const bounds = BOUNDS.map(({ name }) => [name, String(schedule[name] ?? "")] as const);
  return {
    ...{ agency, detail, updateExisting, withdrawn, push, isJoined, columns },
    everyMinutes: String(schedule.everyMinutes),
    lookbackHours: String(schedule.lookbackHours),
    bounds: Object.fromEntries(bounds),
    region: schedule.region ?? "",
  };
}

const UNBOUNDED = Object.fromEntries(BOUNDS.map(({ name }) => [name, null]));

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
