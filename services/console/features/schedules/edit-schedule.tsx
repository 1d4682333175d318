import { useMemo } from "preact/hooks";
import { useLocation, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { type Agency, agencyName, isAsked } from "../../ui/call/use-agencies.ts";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useDraft } from "../../ui/form/use-draft.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import type { Schedule } from "./schedule.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { formOf, newForm, readingOf, settingsOf } from "./schedule-form.ts";
import { everyText, firstText } from "./words.ts";

type EditScheduleProps = {
  readonly catalogue: string;
  readonly agencies: readonly Agency[];
  /** The one that is changed; null: a new one, which may have settings in the address. */
  readonly schedule: Schedule | null;
};

const NO_TABLE = { join: null, columns: null };

export function EditSchedule({ catalogue, agencies, schedule }: EditScheduleProps) {
  const [query] = useSearchParams();
  const [, navigate] = useLocation();
  const initial = useMemo(
    () => (schedule === null ? newForm(query) : formOf(schedule)),
    [schedule?.id],
  );
  const form = useDraft(`schedule ${catalogue} ${schedule?.id ?? query}`, initial);
  const attempt = useAttempts();
  const { submit, error, isBusy, problemOf } = useSubmit(async () => {
    const agency = form.value.agency || (agencies.find(isAsked)?.id ?? "");
    const settings = { ...settingsOf(form.value), agency };
    const isTable = agencies.find(({ id }) => id === agency)?.dialect === "table";
    const { join, columns } = isTable ? readingOf(form.value) : NO_TABLE;
    await attempt({ ...settings, join, columns }, (idempotencyKey) =>
      schedule === null
        ? call(
            "POST /api/schedules",
            {
              body: {
                ...{ catalogueId: catalogue, ...settings },
                ...(join && { join }),
                ...(columns && { columns }),
              },
            },
            { idempotencyKey },
          )
        : call(
            "PATCH /api/schedules/:id",
            { params: { id: schedule.id }, body: { ...settings, join, columns } },
            { idempotencyKey },
          ),
    );
    const often = everyText(settings.everyMinutes);
    notice.done(`${agencyName(agencies, agency)} is asked ${often} now.`);
    form.value = initial;
    navigate(`/catalogues/${catalogue}/schedules`);
  });
  return (
    <form class="sheets" onSubmit={submit}>
      <ScheduleFields
        form={form.value}
        agencies={agencies}
        set={(change) => {
          form.value = { ...form.value, ...change };
        }}
        problemOf={problemOf}
      />
      <ErrorNotice error={error.value} />
      <SubmitRow
        text={schedule === null ? "Keep it current" : "Save"}
        isDisabled={isBusy.value}
        onCancel={() => navigate(`/catalogues/${catalogue}/schedules`)}
      >
        {schedule === null && (
          <span class="muted">
            The first run comes {firstText(Number(form.value.everyMinutes))}, or at once by “Run
            now”.
          </span>
        )}
      </SubmitRow>
    </form>
  );
}
