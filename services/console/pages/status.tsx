import { Fragment } from "preact";
import { Link } from "wouter-preact";
import {
  checkMessage,
  checkName,
  checkPurpose,
  isWorking,
  type Report,
  readReport,
} from "../api/readiness.ts";
import { has } from "../api/session.ts";
import { Answered } from "../ui/call/answered.tsx";
import { usePolled } from "../ui/call/use-polled.ts";
import { Table } from "../ui/table.tsx";
import { decimal } from "../ui/text/format.ts";
import { UtcTime } from "../ui/text/moment.tsx";

const EVERY_MS = 10_000;
const METRICS = "/metrics";

/** Of administrators. */
const FURTHER = [
  { href: "/parked", text: "Changes that failed", does: "could not be applied to lists" },
  { href: "/notifications", text: "Mails", does: "sent, waiting and not delivered" },
  { href: "/operations", text: "Operations", does: "what runs in the background" },
  { href: METRICS, text: "Metrics", does: "for Prometheus" },
] as const;

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
            <div class="columns wide">
              <div class="stack">
                <Checks report={report} />
              </div>
              <About report={report} />
            </div>
          </>
        )}
      </Answered>
    </section>
  );
}

type ReportProps = { readonly report: Report };

/** How current it is, and where to look when something is wrong. */
function About({ report }: ReportProps) {
  const failing = report.checks.filter((check) => !isWorking(check)).length;
  return (
    <aside class="panel" aria-label="About these checks">
      <h2>
        {failing === 0
          ? "Every part works"
          : `${failing} of ${report.checks.length} parts ${failing === 1 ? "does" : "do"} not work`}
      </h2>
      <p class="muted">
        As of <UtcTime at={report.timestamp} length={19} /> UTC; asked every {EVERY_MS / 1_000} s
        while this page can be seen. The service is ready while everything that its pages need
        works; an agency that does not answer stops imports alone.
      </p>
      {has("admin") && (
        <dl class="facts">
          {FURTHER.map(({ href, text, does }) => (
            <Fragment key={href}>
              <dt>
                {href === METRICS ? <a href={href}>{text}</a> : <Link href={href}>{text}</Link>}
              </dt>
              <dd>{does}</dd>
            </Fragment>
          ))}
        </dl>
      )}
    </aside>
  );
}

function Checks({ report }: ReportProps) {
  return (
    <Table
      label="Checks"
      kind="folds"
      columns={["What", "State", "Details", { number: "Answered in, ms" }]}
    >
      {report.checks.map(({ responseTime, ...check }) => (
        <tr key={check.name}>
          <th scope="row">
            {checkName(check.name)}
            <div class="purpose">{checkPurpose(check.name)}</div>
          </th>
          <td>
            <State isGood={isWorking(check)} good="working" bad="not working" />
          </td>
          <td class="words">{detailsOf(check)}</td>
          <td class="number">{responseTime !== undefined && decimal(responseTime, 0)}</td>
        </tr>
      ))}
    </Table>
  );
}

/** What more there is to tell than the state; empty for nothing. */
function detailsOf({ name, message }: Pick<Report["checks"][number], "name" | "message">): string {
  const text = message ? checkMessage(name, message) : "";
  return text === "working" ? "" : text;
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
