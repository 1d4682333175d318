import { RunErrors } from "../../ui/run-errors.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted, elapsed, sentence } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { groupsOf, type Run, type RunGroup } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { ScheduleFacts } from "./schedule-facts.tsx";
import { ScheduleSteps, type StepsProps } from "./schedule-steps.tsx";
import { everyText } from "./words.ts";

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
