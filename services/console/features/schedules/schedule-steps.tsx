import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import type { Schedule } from "./schedule.ts";

export type StepsProps = {
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
export function ScheduleSteps(props: StepsProps) {
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
