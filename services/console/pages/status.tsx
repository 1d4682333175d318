import { Link } from "wouter-preact";
import { type Report, readReport } from "../api/readiness.ts";
import { has } from "../api/session.ts";
import { checkMessage, checkName, isWorking } from "../model/status-words.ts";
import { Answered } from "../ui/call/answered.tsx";
import { usePolled } from "../ui/call/use-polled.ts";
import { Table } from "../ui/table.tsx";
import { decimal, UNKNOWN } from "../ui/text/format.ts";
import { UtcTime } from "../ui/text/moment.tsx";

const EVERY_MS = 10_000;

export function Page() {
  const polled = usePolled(EVERY_MS, readReport);
  const { answer, error, ask } = polled;
  return (
    <section class="page">
      <div class="page-head">
        <h1>Status</h1>
        {error !== null ? (
          <State isGood={false} bad="does not answer" />
        ) : (
          answer && <State isGood={answer.status === "ready"} good="ready" bad="not ready" />
        )}
        <button type="button" class="end" onClick={ask}>
          Check now
        </button>
      </div>
      <Answered call={polled}>
        {(report) => (
          <>
            {error !== null && <h2>Its last answer</h2>}
            <Checks report={report} />
          </>
        )}
      </Answered>
      {has("admin") && (
        <p class="row">
          <Link href="/parked">Changes that failed</Link>
          <Link href="/notifications">Mails</Link>
          <a href="/metrics">Metrics for Prometheus</a>
        </p>
      )}
    </section>
  );
}

function Checks({ report }: { readonly report: Report }) {
  return (
    <>
      <Table label="Checks" columns={["What", "State", "Details", { number: "Answered in, ms" }]}>
        {report.checks.map(({ responseTime, ...check }) => (
          <tr key={check.name}>
            <th scope="row">{checkName(check.name)}</th>
            <td>
              <State isGood={isWorking(check)} good="working" bad="not working" />
            </td>
            <td class="words">{detailsOf(check)}</td>
            <td class="number">{decimal(responseTime, 0)}</td>
          </tr>
        ))}
      </Table>
      <p class="muted">
        As of <UtcTime at={report.timestamp} /> UTC; asked every {EVERY_MS / 1_000} s while this
        page can be seen.
      </p>
    </>
  );
}

/** What more there is to tell than the state. */
function detailsOf({ name, message }: Pick<Report["checks"][number], "name" | "message">): string {
  const text = message ? checkMessage(name, message) : "";
  return text === "" || text === "working" ? UNKNOWN : text;
}

type StateProps = {
  readonly isGood: boolean;
  readonly good?: string;
  readonly bad: string;
};

function State({ isGood, good, bad }: StateProps) {
  return (
    <span class={isGood ? "state good" : "state bad"}>
      <span aria-hidden="true">{isGood ? "●" : "▲"}</span>
      <span>{isGood ? good : bad}</span>
    </span>
  );
}
