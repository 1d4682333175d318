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
import { useMayChange } from "../ui/call/use-may-change.ts";
import { CataloguePage, ForChangers } from "../ui/catalogue-page.tsx";
import { Empty } from "../ui/states.tsx";

const EVERY_MS = 30_000;
/** As many as one answer holds. */
const MOST = 100;

/** By which schedules a catalogue is kept current, and how they fare. */
export function Page({ params: { id = "" } }: PageProps) {
  const query = { catalogueId: id };
  return (
    <CataloguePage
      id={id}
      title="Kept current"
      joint=": "
      everyMs={EVERY_MS}
      intro="A schedule imports from an agency again and again: new events, what the agency has corrected, and what it has withdrawn. A run that finds everything as it was makes no version."
      read={async (signal) => {
        const [{ schedules }, runs] = await Promise.all([
          call("GET /api/schedules", { query }, { signal }),
          call("GET /api/import/history", { query: { ...query, limit: MOST } }, { signal }),
        ]);
        return { schedules, runs };
      }}
      links={(catalogue) => (
        <>
          <Link class="button quiet" href={`/catalogues/${id}/imports`}>
            Imports
          </Link>
          <ForChangers catalogue={catalogue}>
            <Link class="button primary" href={`/catalogues/${id}/schedules/new`}>
              New schedule
            </Link>
          </ForChangers>
        </>
      )}
    >
      {(catalogue, found, reload) =>
        found && <Schedules catalogue={catalogue} {...found} reload={reload} />
      }
    </CataloguePage>
  );
}

type SchedulesProps = {
  readonly catalogue: Catalogue;
  readonly schedules: readonly Schedule[];
  /** The newest of all imports into the catalogue. */
  readonly runs: readonly Run[];
  readonly reload: () => void;
};

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
