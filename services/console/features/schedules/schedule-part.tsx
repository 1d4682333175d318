import { sentence } from "../../ui/text/format.ts";
import { RunHistory } from "./run-history.tsx";
import type { Run } from "./runs.ts";
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
