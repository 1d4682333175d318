import { Link } from "wouter-preact";
import { type Report, readReport } from "../api/readiness.ts";
import { has } from "../api/session.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { usePolled } from "../ui/call/use-polled.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { ScrollArea } from "../ui/scroll-area.tsx";
import { TableHead } from "../ui/table-head.tsx";
import { decimal, UNKNOWN } from "../ui/text/format.ts";
import { UtcTime } from "../ui/text/moment.tsx";

const EVERY_MS = 10_000;

export function Page() {
  const { answer, error, ask } = usePolled(EVERY_MS, readReport);
  const report = answer.value;
  return (
    <section class="page">
      <div class="page-head">
        <h1>Status</h1>
        {error.value !== null ? (
          <State isGood={false} bad="does not answer" />
        ) : (
          report && <State isGood={report.status === "ready"} good="ready" bad="not ready" />
        )}
        <button type="button" class="end" onClick={ask}>
          Check now
        </button>
      </div>
      {error.value !== null && <ErrorNotice error={error.value} />}
      {report === null ? (
        error.value === null && <Waiting />
      ) : (
        <>
          {error.value !== null && <h2>Its last answer</h2>}
          <Checks report={report} />
        </>
      )}
      {has("admin") && (
        <p class="row">
          <Link href="/parked">Parked events</Link>
          <Link href="/notifications">Notifications</Link>
          <a href="/metrics">Metrics for Prometheus</a>
        </p>
      )}
    </section>
  );
}

function Checks({ report }: { readonly report: Report }) {
  return (
    <>
      <ScrollArea label="Checks">
        <table>
          <TableHead columns={["Check", "State", "Message", { number: "Time, ms" }]} />
          <tbody>
            {report.checks.map(({ name, status, message, responseTime }) => (
              <tr key={name}>
                <th scope="row">{name.replaceAll("_", " ")}</th>
                <td>
                  <State isGood={status === "healthy"} good="healthy" bad="unhealthy" />
                </td>
                <td class="words">{message ?? UNKNOWN}</td>
                <td class="number">{decimal(responseTime, 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      <p class="muted">
        As of <UtcTime at={report.timestamp} /> UTC; asked every {EVERY_MS / 1_000} s while this
        page can be seen.
      </p>
    </>
  );
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
