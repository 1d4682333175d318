import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useSavedRegion } from "../../ui/call/use-saved-regions.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { RunErrors } from "../../ui/run-errors.tsx";
import { Table } from "../../ui/table.tsx";
import { ago, count, counted, elapsed, sentence } from "../../ui/text/format.ts";
import { Moment, UtcTime } from "../../ui/text/moment.tsx";
import {
  DETAILS,
  everyText,
  filtersText,
  groupsOf,
  lookbackText,
  type Run,
  type RunGroup,
  type Schedule,
  WITHDRAWN,
} from "./schedule.ts";
import { formOf, LEFT_OUT } from "./schedule-form.ts";

type SchedulePartProps = Omit<StepsProps, "title"> & {
  readonly runs: readonly Run[];
  readonly mayChange: boolean;
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
        <ScheduleFacts schedule={schedule} />
      </div>
      {runs.length > 0 && <RunHistory runs={runs} label={`Runs of ${title}`} />}
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

const COLUMNS = [
  "Run",
  { number: "Took" },
  { number: "Fetched" },
  { number: "New" },
  { number: "Changed" },
  { number: "Withdrawn" },
  "Errors",
] as const;

type RunHistoryProps = {
  /** Newest first. */
  readonly runs: readonly Run[];
  /** Read out for the table. */
  readonly label: string;
};

/** What each run brought; those that found everything as it was are one line. */
function RunHistory({ runs, label }: RunHistoryProps) {
  return (
    <Table label={label} kind="folds" columns={COLUMNS}>
      {groupsOf(runs).map((group) => (
        <Group key={group.kind === "told" ? group.run.id : group.newest.id} group={group} />
      ))}
    </Table>
  );
}

function Group({ group }: { readonly group: RunGroup }) {
  if (group.kind === "told") return <ToldRun run={group.run} />;
  const { newest, oldest, count: number } = group;
  return (
    <tr>
      <td colSpan={COLUMNS.length}>
        <Moment at={newest.end_time} />{" "}
        <span class="muted">
          {counted(number, "run")} without changes
          {number > 1 && (
            <>
              , the first of them <Moment at={oldest.end_time} />
            </>
          )}
        </span>
      </td>
    </tr>
  );
}

function ToldRun({ run }: { readonly run: Run }) {
  return (
    <tr>
      <td>
        <Moment at={run.end_time} />
      </td>
      <td class="number">{elapsed(Date.parse(run.end_time) - Date.parse(run.start_time))}</td>
      <td class="number">{count(run.total_fetched)}</td>
      <td class="number">{count(run.new_events)}</td>
      <td class="number">{count(run.updated_events)}</td>
      <td class="number">
        {count(run.withdrawn_events ?? 0)}
        {run.withheld !== undefined && (
          <span class="muted nowrap"> ({count(run.withheld)} withheld)</span>
        )}
      </td>
      <td class="words">
        <RunErrors errors={run.errors} />
      </td>
    </tr>
  );
}

type ScheduleFactsProps = { readonly schedule: Schedule };

/** What a schedule asks for, and beside it how it fares. */
function ScheduleFacts({ schedule }: ScheduleFactsProps) {
  return (
    <div class="columns even">
      <Times schedule={schedule} />
      <Asked schedule={schedule} />
    </div>
  );
}

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
            {formOf(schedule)
              .columns.map(({ name, target, unit = "" }) =>
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

type StepsProps = {
  readonly schedule: Schedule;
  /** The agency's name. */
  readonly agency: string;
  /** What the schedule is called. */
  readonly title: string;
  readonly reload: () => void;
  /** Gets the operation of a run that was begun by hand. */
  readonly onRun: (operation: string) => void;
};

/** What is done with a schedule by those who may change its catalogue. */
function ScheduleSteps(props: StepsProps) {
  const { schedule, title } = props;
  const { id, catalogueId, paused, running } = schedule;
  const isEnding = useSignal(false);
  const { isBusy, start, turn } = useSteps(props);
  const pausing = paused ? "Resume" : "Pause";
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
      <button
        type="button"
        class="quiet"
        aria-label={`Delete…: ${title}`}
        onClick={() => (isEnding.value = true)}
      >
        Delete…
      </button>
      {isEnding.value && <DeleteSchedule {...props} onClose={() => (isEnding.value = false)} />}
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

type DeleteScheduleProps = StepsProps & { readonly onClose: () => void };

function DeleteSchedule({ schedule: { id }, agency, reload, onClose }: DeleteScheduleProps) {
  const end = async (idempotencyKey: string) => {
    await call("DELETE /api/schedules/:id", { params: { id } }, { idempotencyKey });
    notice.done(`The catalogue is not kept current from ${agency} any more.`);
    reload();
  };
  return (
    <ConfirmDialog
      title="Delete the schedule"
      action="Delete it"
      isDanger
      run={end}
      onClose={onClose}
    >
      <p>
        Nothing more comes from {agency} by this schedule. What it has brought stays, and its runs
        stay among the imports of the catalogue.
      </p>
    </ConfirmDialog>
  );
}
