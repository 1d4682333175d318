import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import { EditSchedule } from "../features/schedules/edit-schedule.tsx";
import type { Schedule } from "../features/schedules/schedule.ts";
import type { PageProps } from "../model/page-route.ts";
import { type Agency, useAgencies } from "../ui/agencies.tsx";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { FailedPage } from "../ui/states.tsx";

type Found = { readonly name: string; readonly schedule: Schedule | null };

/** The settings of a schedule, or of a new one. */
export function Page({ params: { id = "", scheduleId } }: PageProps) {
  const agencies = useAgencies();
  const loaded = useCall<Found>(`${id} ${scheduleId}`, async (signal) => {
    const [{ name }, schedule] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      scheduleId === undefined
        ? null
        : call("GET /api/schedules/:id", { params: { id: scheduleId } }, { signal }),
    ]);
    return { name, schedule: schedule?.schedule ?? null };
  });
  const { answer, error, reload } = loaded;
  const title = scheduleId === undefined ? "New schedule" : "Change the schedule";
  if (answer === null && error !== null) {
    return <FailedPage title={title} error={error} retry={reload} />;
  }
  const isThere = agencies.answer !== null && answer !== null;
  return (
    <section class="page">
      <div class="page-head">
        <h1>
          {title}
          {answer && ` ${scheduleId === undefined ? "for" : "of"} ${answer.name}`}
        </h1>
        <Link class="button quiet end" href={`/catalogues/${id}/schedules`}>
          Back to the schedules
        </Link>
      </div>
      <Answered<readonly Agency[]> call={{ ...agencies, answer: isThere ? agencies.answer : null }}>
        {(all) =>
          answer && <EditSchedule catalogue={id} agencies={all} schedule={answer.schedule} />
        }
      </Answered>
    </section>
  );
}
