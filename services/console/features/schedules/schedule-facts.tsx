import { useSavedRegion } from "../../ui/call/use-saved-regions.ts";
import { ago } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { Schedule } from "./schedule.ts";
import { formOf, LEFT_OUT } from "./schedule-form.ts";
import { DETAILS, filtersText, lookbackText, WITHDRAWN } from "./words.ts";

type ScheduleFactsProps = { readonly schedule: Schedule };

/** What a schedule asks for, and beside it how it fares. */
export function ScheduleFacts({ schedule }: ScheduleFactsProps) {
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
