import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { sentence } from "../../ui/text/format.ts";
import { RunHistory } from "./run-history.tsx";
import type { Run } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import { ScheduleFacts } from "./schedule-facts.tsx";
import { everyText } from "./words.ts";

type SchedulePartProps = {
  readonly schedule: Schedule;
  /** The agency's name. */
  readonly agency: string;
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
          {mayChange && <Steps {...props} title={title} />}
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

type StepsProps = SchedulePartProps & { readonly title: string };

function Steps({ schedule, agency, title, reload, onRun }: StepsProps) {
  const { id, catalogueId, paused, running } = schedule;
  const isEnding = useSignal(false);
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
      {isEnding.value && (
        <DeleteSchedule
          id={id}
          agency={agency}
          reload={reload}
          onClose={() => (isEnding.value = false)}
        />
      )}
    </div>
  );
}

type DeleteScheduleProps = Pick<SchedulePartProps, "agency" | "reload"> & {
  readonly id: string;
  readonly onClose: () => void;
};

function DeleteSchedule({ id, agency, reload, onClose }: DeleteScheduleProps) {
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
