import { useSearchParams } from "wouter-preact";
import { type Catalogue, call } from "../api/call.ts";
import {
  columnsOf,
  DETAILS,
  everyText,
  filtersText,
  groupsOf,
  isQuiet,
  LEFT_OUT,
  lookbackText,
  type Run,
  type RunGroup,
  type Schedule,
  WITHDRAWN,
} from "../features/schedules/schedule.ts";
import { OperationView } from "../jobs/operation.tsx";
import { agencyName, useAgencies } from "../ui/agencies.tsx";
import { useWrite } from "../ui/call.tsx";
import { CataloguePage, ForChangers, useMayChange } from "../ui/catalogue-page.tsx";
import { ask } from "../ui/form/ask.ts";
import { Button, ButtonLink, Empty, Facts, type PageProps } from "../ui/page.tsx";
import { countColumns, RunErrors } from "../ui/run-errors.tsx";
import { useSavedRegion } from "../ui/saved-regions.tsx";
import { type Columns, Table } from "../ui/table.tsx";
import { ago, count, counted, sentence } from "../ui/text/format.ts";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

const EVERY_MS = 30_000;
/** As many as one answer holds. */
const MOST = 100;

/** By which schedules a catalogue is kept current, and how they fare. */
export function Page({ params: { id = "" } }: PageProps) {
  const query = { catalogueId: id };
  return (
    <CataloguePage
      id={id}
      title="Kept current"
      joint=": "
      everyMs={EVERY_MS}
      intro="A schedule imports from an agency again and again: new events, what the agency has corrected, and what it has withdrawn. A run that finds everything as it was makes no version."
      read={async (signal) => {
        const [{ schedules }, runs] = await Promise.all([
          call("GET /api/schedules", { query }, { signal }),
          call("GET /api/import/history", { query: { ...query, limit: MOST } }, { signal }),
        ]);
        return { schedules, runs };
      }}
      links={(catalogue) => (
        <>
          <ButtonLink class="quiet" href={`/catalogues/${id}/imports`} text="Imports" />
          <ForChangers catalogue={catalogue}>
            <ButtonLink
              class="primary"
              href={`/catalogues/${id}/schedules/new`}
              text="New schedule"
            />
          </ForChangers>
        </>
      )}
    >
      {(catalogue, found, reload) =>
        found && <Schedules catalogue={catalogue} {...found} reload={reload} />
      }
    </CataloguePage>
  );
}

type SchedulesProps = {
  readonly catalogue: Catalogue;
  readonly schedules: readonly Schedule[];
  /** The newest of all imports into the catalogue. */
  readonly runs: readonly Run[];
  readonly reload: () => void;
};

function Schedules({ catalogue, schedules, runs, reload }: SchedulesProps) {
  const mayChange = useMayChange(catalogue);
  const agencies = useAgencies().last;
  // The run stands in the address, so that its progress is found again after a reload.
  const [query, setQuery] = useSearchParams();
  const operation = query.get("operation");
  if (schedules.length === 0) {
    return (
      <Empty
        title="No schedule keeps this catalogue current."
        text="Events come into it by imports, uploads and hand alone."
      />
    );
  }
  return (
    <>
      {operation !== null && (
        // The schedules are asked for anew once it has ended.
        <OperationView key={operation} id={operation} onEnded={reload} />
      )}
      {schedules.map((schedule) => (
        <SchedulePart
          key={schedule.id}
          schedule={schedule}
          agency={agencyName(agencies, schedule.agency)}
          runs={runs.filter(({ schedule_id }) => schedule_id === schedule.id)}
          mayChange={mayChange}
          reload={reload}
          onRun={(started) => setQuery({ operation: started })}
        />
      ))}
    </>
  );
}

type SchedulePartProps = {
  readonly schedule: Schedule;
  /** The agency's name. */
  readonly agency: string;
  /** Newest first. */
  readonly runs: readonly Run[];
  readonly mayChange: boolean;
  readonly reload: () => void;
  /** Gets the operation of a run that was begun by hand. */
  readonly onRun: (operation: string) => void;
};

/** A schedule: what it asks for, how it fares and what its runs brought. */
function SchedulePart(props: SchedulePartProps) {
  const { schedule, agency, runs, mayChange } = props;
  const { running, paused, failures } = schedule;
  const state = running ? "running" : paused ? "paused" : failures > 0 ? "failing" : "on time";
  const title = `${agency}, ${everyText(schedule.everyMinutes)}`;
  return (
    <section class="stack" aria-label={title}>
      <div class="panel">
        <div class="page-head">
          <h2>{title}</h2>
          <span class={STATE_BADGES[state]}>{state}</span>
          {mayChange && <ScheduleSteps {...props} title={title} />}
        </div>
        {schedule.error !== null && (
          <div class={paused ? "notice warning" : "notice error"}>
            <span>{errorText(schedule)}</span>
          </div>
        )}
        <div class="columns even">
          <Times schedule={schedule} />
          <Asked schedule={schedule} />
        </div>
      </div>
      {runs.length > 0 && (
        <Table
          label={`Runs of ${title}`}
          kind="folds"
          rows={groupsOf(runs)}
          keyOf={({ newest }) => newest.id}
          across={(group) => (isQuiet(group.newest) ? <Quiet {...group} /> : null)}
          columns={COLUMNS}
        />
      )}
    </section>
  );
}

const STATE_BADGES = {
  running: "badge warning",
  paused: "badge",
  failing: "badge bad",
  "on time": "badge good",
};

function errorText({ error, failures }: Schedule): string {
  const text = sentence(error ?? "").replace(/\.?$/, ".");
  if (failures === 0) return text;
  return failures === 1
    ? `The last run failed: ${text}`
    : `The last ${failures} runs failed, at last: ${text}`;
}

const COLUMNS: Columns<RunGroup> = [
  ["Run", ({ newest }) => <Moment at={newest.end_time} />],
  ...countColumns("Changed", ({ newest }: RunGroup) => newest),
  [
    "Withdrawn",
    ({ newest: { withdrawn_events = 0, withheld } }) => (
      <>
        {count(withdrawn_events)}
        {withheld !== undefined && <span class="muted nowrap"> ({count(withheld)} withheld)</span>}
      </>
    ),
    "number",
  ],
  ["Errors", ({ newest }) => <RunErrors errors={newest.errors} />, "words"],
];

/** Runs that found everything as it was are one line. */
function Quiet({ newest, oldest, count: number }: RunGroup) {
  return (
    <>
      <Moment at={newest.end_time} />{" "}
      <span class="muted">
        {counted(number, "run")} without changes
        {number > 1 && (
          <>
            , the first of them <Moment at={oldest.end_time} />
          </>
        )}
      </span>
    </>
  );
}

/** When it ran and runs. */
function Times({ schedule }: Pick<SchedulePartProps, "schedule">) {
  const { paused, running, next_run, last_run, last_whole } = schedule;
  const isDue = next_run === null || Date.parse(next_run) <= Date.now();
  const next = isDue ? "is due, begins soon" : whenOf(next_run);
  return (
    <Facts
      facts={[
        ["Next run", paused ? "by hand alone" : running ? "runs now" : next],
        ["Last run", last_run === null ? "none yet" : whenOf(last_run)],
        [
          "Last read whole",
          last_whole === null ? "not yet with these settings" : whenOf(last_whole),
        ],
      ]}
    />
  );
}

/** A time to the minute and how far from now. */
function whenOf(at: string) {
  return (
    <>
      <UtcTime at={at} length={16} /> UTC <span class="muted nowrap">({ago(at)})</span>
    </>
  );
}

function Asked({ schedule }: Pick<SchedulePartProps, "schedule">) {
  const { lookbackHours, detail, updateExisting, withdrawn, push } = schedule;
  // For its name among the filters.
  useSavedRegion(schedule.region);
  const columns = columnsOf(schedule).map(({ name, target, unit = "" }) =>
    target === LEFT_OUT ? `${name}: left out` : `${name}: ${target} ${unit}`.trim(),
  );
  return (
    <Facts
      facts={[
        ["Asks for", `${lookbackText(lookbackHours)}: ${filtersText(schedule)}`],
        ["Detail", DETAILS[detail]],
        ["Changed events", updateExisting ? "are updated" : "stay as they are here"],
        ["Withdrawn events", WITHDRAWN[withdrawn]],
        schedule.join !== undefined && [
          "Rows of the file",
          "are added to the events that have their ids",
        ],
        schedule.columns !== undefined && ["Its columns", columns.join(", ")],
        push && ["Between runs", "what the agency sends by itself comes at once"],
      ]}
    />
  );
}

/** What is done with a schedule by those who may change its catalogue. */
function ScheduleSteps(props: SchedulePartProps & { readonly title: string }) {
  const { schedule, agency, title, reload, onRun } = props;
  const { id, catalogueId, paused, running } = schedule;
  const { isBusy, write } = useWrite(schedule.updated_at);
  const input = { params: { id } };
  const start = () =>
    write({
      what: "run",
      send: (options) => call("POST /api/schedules/:id/run", input, options),
      after: ({ operationId }) => onRun(operationId),
      reload,
    });
  const turn = () => {
    const body = { paused: !paused };
    write({
      what: body,
      send: (options) => call("PATCH /api/schedules/:id", { ...input, body }, options),
      done: paused ? `${agency} is asked again.` : `${agency} is asked by hand alone now.`,
      reload,
    });
  };
  const pausing = paused ? "Resume" : "Pause";
  const end = () =>
    ask({
      title: "Delete the schedule",
      action: "Delete it",
      isDanger: true,
      text: `Nothing more comes from ${agency} by this schedule. What it has brought stays, and its runs stay among the imports of the catalogue.`,
      run: (options) => call("DELETE /api/schedules/:id", input, options),
      done: `The catalogue is not kept current from ${agency} any more.`,
      after: reload,
    });
  return (
    <div class="row end">
      <Button
        aria-label={`Run now: ${title}`}
        disabled={isBusy.value || running}
        onClick={start}
        text="Run now"
      />
      <Button
        class="quiet"
        aria-label={`${pausing}: ${title}`}
        disabled={isBusy.value}
        onClick={turn}
        text={pausing}
      />
      <ButtonLink
        class="quiet"
        aria-label={`Change…: ${title}`}
        href={`/catalogues/${catalogueId}/schedules/${id}`}
        text="Change…"
      />
      <Button class="quiet" aria-label={`Delete…: ${title}`} onClick={end} text="Delete…" />
    </div>
  );
}
