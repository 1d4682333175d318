import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import type { AnswerOf, Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { RunErrors } from "../ui/run-errors.tsx";
import { Empty, FailedPage } from "../ui/states.tsx";
import { Table } from "../ui/table.tsx";
import { count, elapsed } from "../ui/text/format.ts";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

type Run = AnswerOf<"GET /api/import/history">[number];
type Found = { readonly catalogue: Catalogue; readonly runs: readonly Run[] };

/** As many as one answer holds. */
const MOST = 100;

export function Page({ params: { id = "" } }: PageProps) {
  const loaded = useCall<Found>(id, async (signal) => {
    const query = { catalogueId: id, limit: MOST };
    const [catalogue, runs] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      call("GET /api/import/history", { query }, { signal }),
    ]);
    return { catalogue, runs };
  });
  const { answer, error, reload } = loaded;
  if (answer === null && error !== null) {
    return <FailedPage title="Imports" error={error} retry={reload} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>Imports{answer && ` into ${answer.catalogue.name}`}</h1>
        <nav class="row end" aria-label="This catalogue">
          <Link class="button quiet" href={`/catalogues/${id}`}>
            Back to the catalogue
          </Link>
          {answer && <ImportInto catalogue={answer.catalogue} />}
        </nav>
      </div>
      <Answered call={loaded}>{({ runs }) => <Runs runs={runs} />}</Answered>
    </section>
  );
}

function ImportInto({ catalogue }: { readonly catalogue: Catalogue }) {
  if (!useMayChange(catalogue)) return null;
  return (
    <Link class="button" href={`/import?catalogueId=${catalogue.id}`}>
      Import into it
    </Link>
  );
}

function Runs({ runs }: { readonly runs: readonly Run[] }) {
  if (runs.length === 0) {
    return (
      <Empty
        title="Nothing has been imported into this catalogue."
        text="Each import is listed here: what it brought, what was there already, and why some events were refused."
      />
    );
  }
  return (
    <>
      <Table
        label="Imports"
        kind="folds"
        columns={[
          "Ended",
          "Earthquakes of, UTC",
          { number: "Took" },
          { number: "Fetched" },
          { number: "New" },
          { number: "Updated" },
          { number: "Skipped" },
          "Errors",
        ]}
      >
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </Table>
      {runs.length === MOST && <p class="muted">The last {MOST} imports.</p>}
    </>
  );
}

function Row({ run }: { readonly run: Run }) {
  return (
    <tr>
      <td>
        <Moment at={run.end_time} />
        {run.schedule_id !== null && <div class="muted small">by a schedule</div>}
      </td>
      <td class="nowrap">
        <UtcTime at={run.window_start} length={16} /> – <UtcTime at={run.window_end} length={16} />
      </td>
      <td class="number">{elapsed(Date.parse(run.end_time) - Date.parse(run.start_time))}</td>
      <td class="number">{count(run.total_fetched)}</td>
      <td class="number">{count(run.new_events)}</td>
      <td class="number">{count(run.updated_events)}</td>
      <td class="number">{count(run.skipped_events)}</td>
      <td class="words">
        <RunErrors errors={run.errors} />
      </td>
    </tr>
  );
}
