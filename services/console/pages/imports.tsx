import { type AnswerOf, call } from "../api/call.ts";
import { CataloguePage, ForChangers } from "../ui/catalogue-page.tsx";
import { ButtonLink, type PageProps } from "../ui/page.tsx";
import { countColumns, RunErrors } from "../ui/run-errors.tsx";
import { Table } from "../ui/table.tsx";
import { count } from "../ui/text/format.ts";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

type Run = AnswerOf<"GET /api/import/history">[number];

/** As many as one answer holds. */
const MOST = 100;

export function Page({ params: { id = "" } }: PageProps) {
  const query = { catalogueId: id, limit: MOST };
  return (
    <CataloguePage
      id={id}
      title="Imports"
      joint=" into "
      read={(signal) => call("GET /api/import/history", { query }, { signal })}
      links={(catalogue) => (
        <ForChangers catalogue={catalogue}>
          <ButtonLink href={`/import?catalogueId=${id}`} text="Import into it" />
        </ForChangers>
      )}
    >
      {(_catalogue, runs = []) => (
        <>
          <Table
            label="Imports"
            kind="folds"
            rows={runs}
            empty={{
              title: "Nothing has been imported into this catalogue.",
              text: "Each import is listed here: what it brought, what was there already, and why some events were refused.",
            }}
            columns={[
              [
                "Ended",
                (run) => (
                  <>
                    <Moment at={run.end_time} />
                    {run.schedule_id !== null && <div class="muted small">by a schedule</div>}
                  </>
                ),
              ],
              [
                "Earthquakes of, UTC",
                (run) => (
                  <>
                    <UtcTime at={run.window_start} length={16} /> –{" "}
                    <UtcTime at={run.window_end} length={16} />
                  </>
                ),
                "nowrap",
              ],
              ...countColumns("Updated", (run: Run) => run),
              ["Skipped", (run) => count(run.skipped_events), "number"],
              ["Errors", (run) => <RunErrors errors={run.errors} />, "words"],
            ]}
          />
          {runs.length === MOST && <p class="muted">The last {MOST} imports.</p>}
        </>
      )}
    </CataloguePage>
  );
}
