import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useSavedRegion } from "../../ui/call/use-saved-regions.ts";
import { ask } from "../../ui/form/ask.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { countColumns, RunErrors } from "../../ui/run-errors.tsx";
import { type ColumnOf, Table } from "../../ui/table.tsx";
import { ago, count, counted, sentence } from "../../ui/text/format.ts";
import { Moment, UtcTime } from "../../ui/text/moment.tsx";
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
} from "./schedule.ts";

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
export function SchedulePart(props: SchedulePartProps) {
  const { schedule, agency, runs, mayChange } = props;
  const title = `${agency}, ${everyText(schedule.everyMinutes)}`;
  return (
    <section class="stack" aria-label={title}>
      <div class="panel">
        <div class="page-head">
          <h2>{title}</h2>
          <StateBadge schedule={schedule} />
          {mayChange && <ScheduleSteps {...props} title={title} />}
        </div>
        {schedule.error !== null && (
          <div class={schedule.paused ? "notice warning" : "notice error"}>
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

function StateBadge({
  schedule: { running, paused, failures },
}: Pick<SchedulePartProps, "schedule">) {
  if (running) return <span class="badge warning">running</span>;
  if (paused) return <span class="badge">paused</span>;
  return failures > 0 ? (
    <span class="badge bad">failing</span>
  ) : (
    <span class="badge good">on time</span>
  );
}

function errorText({ error, failures }: Schedule): string {
  const text = sentence(error ?? "").replace(/\.?$/, ".");
  if (failures === 0) return text;
  return failures === 1
    ? `The last run failed: ${text}`
    : `The last ${failures} runs failed, at last: ${text}`;
}

const COLUMNS: readonly ColumnOf<RunGroup>[] = [
  { head: "Run", cell: ({ newest }) => <Moment at={newest.end_time} /> },
  ...countColumns("Changed", ({ newest }: RunGroup) => newest),
  {
    head: "Withdrawn",
    class: "number",
    cell: ({ newest: { withdrawn_events = 0, withheld } }) => (
      <>
        {count(withdrawn_events)}
        {withheld !== undefined && <span class="muted nowrap"> ({count(withheld)} withheld)</span>}
      </>
    ),
  },
  { head: "Errors", class: "words", cell: ({ newest }) => <RunErrors errors={newest.errors} /> },
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

type ScheduleFactsProps = Pick<SchedulePartProps, "schedule">;

function Times({
  schedule: { paused, running, next_run, last_run, last_whole },
}: ScheduleFactsProps) {
  return (
    <dl class="facts">
      <dt>Next run</dt>
      <dd>
        {paused ? (
          "by hand alone"
        ) : running ? (
          "runs now"
        ) : next_run === null || Date.parse(next_run) <= Date.now() ? (
          "is due, begins soon"
        ) : (
          <Whence at={next_run} />
        )}
      </dd>
      <dt>Last run</dt>
      <dd>{last_run === null ? "none yet" : <Whence at={last_run} />}</dd>
      <dt>Last read whole</dt>
      <dd>{last_whole === null ? "not yet with these settings" : <Whence at={last_whole} />}</dd>
    </dl>
  );
}

/** A time to the minute and how far from now. */
function Whence({ at }: { readonly at: string }) {
  return (
    <>
      <UtcTime at={at} length={16} /> UTC <span class="muted nowrap">({ago(at)})</span>
    </>
  );
}

function Asked({ schedule }: ScheduleFactsProps) {
  const { lookbackHours, detail, updateExisting, withdrawn, push } = schedule;
  // For its name among the filters.
  useSavedRegion(schedule.region);
  return (
    <dl class="facts">
      <dt>Asks for</dt>
      <dd>
        {lookbackText(lookbackHours)}: {filtersText(schedule)}
      </dd>
      <dt>Detail</dt>
      <dd>{DETAILS[detail]}</dd>
      <dt>Changed events</dt>
      <dd>{updateExisting ? "are updated" : "stay as they are here"}</dd>
      <dt>Withdrawn events</dt>
      <dd>{WITHDRAWN[withdrawn]}</dd>
      {schedule.join !== undefined && (
        <>
          <dt>Rows of the file</dt>
          <dd>are added to the events that have their ids</dd>
        </>
      )}
      {schedule.columns !== undefined && (
        <>
          <dt>Its columns</dt>
          <dd>
            {columnsOf(schedule)
              .map(({ name, target, unit = "" }) =>
                target === LEFT_OUT ? `${name}: left out` : `${name}: ${target} ${unit}`.trim(),
              )
              .join(", ")}
          </dd>
        </>
      )}
      {push && (
        <>
          <dt>Between runs</dt>
          <dd>what the agency sends by itself comes at once</dd>
        </>
      )}
    </dl>
  );
}

type StepsProps = SchedulePartProps & { readonly title: string };

/** What is done with a schedule by those who may change its catalogue. */
function ScheduleSteps(props: StepsProps) {
  const { schedule, agency, title, reload } = props;
  const { id, catalogueId, paused, running } = schedule;
  const { isBusy, start, turn } = useSteps(props);
  const pausing = paused ? "Resume" : "Pause";
  const end = () =>
    ask({
      title: "Delete the schedule",
      action: "Delete it",
      isDanger: true,
      text: `Nothing more comes from ${agency} by this schedule. What it has brought stays, and its runs stay among the imports of the catalogue.`,
      run: (options) => call("DELETE /api/schedules/:id", { params: { id } }, options),
      done: `The catalogue is not kept current from ${agency} any more.`,
      after: reload,
    });
  return (
    <div class="row end">
      <button
        type="button"
        aria-label={`Run now: ${title}`}
        disabled={isBusy.value || running}
        onClick={start}
      >
        Run now
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`${pausing}: ${title}`}
        disabled={isBusy.value}
        onClick={turn}
      >
        {pausing}
      </button>
      <Link
        class="button quiet"
        aria-label={`Change…: ${title}`}
        href={`/catalogues/${catalogueId}/schedules/${id}`}
      >
        Change…
      </Link>
      <button type="button" class="quiet" aria-label={`Delete…: ${title}`} onClick={end}>
        Delete…
      </button>
    </div>
  );
}

/** To run a schedule, and to pause or resume it: one thing at a time. */
function useSteps({ schedule, agency, reload, onRun }: StepsProps) {
  const { id, paused } = schedule;
  const { isBusy, run } = useAction();
  const attempt = useAttempts(schedule.updated_at);
  const start = () =>
    run(async () => {
      const { operationId } = await attempt("run", (idempotencyKey) =>
        call("POST /api/schedules/:id/run", { params: { id } }, { idempotencyKey }),
      );
      onRun(operationId);
      reload();
    });
  const turn = () =>
    run(async () => {
      const body = { paused: !paused };
      await attempt(body, (idempotencyKey) =>
        call("PATCH /api/schedules/:id", { params: { id }, body }, { idempotencyKey }),
      );
      notice.done(paused ? `${agency} is asked again.` : `${agency} is asked by hand alone now.`);
      reload();
    });
  return { isBusy, start, turn };
}
