import { useEffect } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import { call } from "../api/call.ts";
import type { Run, Schedule } from "../features/schedules/schedule.ts";
import { SchedulePart } from "../features/schedules/schedule-part.tsx";
import type { Operation } from "../jobs/operation.ts";
import { OperationView } from "../jobs/operation-view.tsx";
import { Outcome } from "../jobs/outcome.tsx";
import type { Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { agencyName, useAgencies } from "../ui/agencies.tsx";
import { Answered } from "../ui/call/answered.tsx";
import { useRepeated } from "../ui/call/timers.ts";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { Empty, FailedPage } from "../ui/states.tsx";

type Found = {
  readonly catalogue: Catalogue;
  readonly schedules: readonly Schedule[];
  /** The newest of all imports into the catalogue. */
  readonly runs: readonly Run[];
};

const EVERY_MS = 30_000;
/** As many as one answer holds. */
const MOST = 100;

/** By which schedules a catalogue is kept current, and how they fare. */
export function Page({ params: { id = "" } }: PageProps) {
  const loaded = useCall<Found>(id, async (signal) => {
    const query = { catalogueId: id };
    const [catalogue, { schedules }, runs] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      call("GET /api/schedules", { query }, { signal }),
      call("GET /api/import/history", { query: { ...query, limit: MOST } }, { signal }),
    ]);
    return { catalogue, schedules, runs };
  });
  const { answer, error, reload } = loaded;
  useRepeated(EVERY_MS, reload);
  if (answer === null && error !== null) {
    return <FailedPage title="Kept current" error={error} retry={reload} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>Kept current{answer && `: ${answer.catalogue.name}`}</h1>
        <nav class="row end" aria-label="This catalogue">
          <Link class="button quiet" href={`/catalogues/${id}`}>
            Back to the catalogue
          </Link>
          <Link class="button quiet" href={`/catalogues/${id}/imports`}>
            Imports
          </Link>
          {answer && <AddSchedule catalogue={answer.catalogue} />}
        </nav>
      </div>
      <p class="muted">
        A schedule imports from an agency again and again: new events, what the agency has
        corrected, and what it has withdrawn. A run that finds everything as it was makes no
        version.
      </p>
      <Answered call={loaded}>{(found) => <Schedules {...found} reload={reload} />}</Answered>
    </section>
  );
}

function AddSchedule({ catalogue }: { readonly catalogue: Catalogue }) {
  if (!useMayChange(catalogue)) return null;
  return (
    <Link class="button primary" href={`/catalogues/${catalogue.id}/schedules/new`}>
      New schedule
    </Link>
  );
}

type SchedulesProps = Found & { readonly reload: () => void };

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
        <OperationView
          key={operation}
          id={operation}
          outcome={(shown) => <EndOfRun operation={shown} reload={reload} />}
        />
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

type EndOfRunProps = { readonly operation: Operation; readonly reload: () => void };

/** What came of a run; the schedules are asked for anew once it has ended. */
function EndOfRun({ operation, reload }: EndOfRunProps) {
  useEffect(() => {
    if (operation.status !== "running") reload();
  }, [operation.status]);
  return <Outcome operation={operation} />;
}
