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
import { Answered } from "../ui/call.tsx";
import { Button, Facts, Frame, State } from "../ui/page.tsx";
import { type Columns, Table } from "../ui/table.tsx";
import { decimal } from "../ui/text/format.ts";
import { UtcTime } from "../ui/text/moment.tsx";
import { usePolled } from "../ui/timers.ts";

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
  const isReady = error === null && answer?.status === "ready";
  return (
    <Frame
      title="Status"
      head={
        <>
          {(answer !== null || error !== null) && (
            <State isGood={isReady}>
              {error !== null ? "does not answer" : isReady ? "ready" : "not ready"}
            </State>
          )}
          <Button class="end" onClick={ask} text="Check now" />
        </>
      }
    >
      <Answered call={polled}>
        {(report) => (
          <>
            {error !== null && <h2>Its last answer</h2>}
            <div class="columns wide">
              <div class="stack">
                <Table label="Checks" kind="folds" rows={report.checks} columns={COLUMNS} />
              </div>
              <About report={report} />
            </div>
          </>
        )}
      </Answered>
    </Frame>
  );
}

/** How current it is, and where to look when something is wrong. */
function About({ report }: { readonly report: Report }) {
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
        <Facts
          facts={FURTHER.map(({ href, text, does }) => [
            href === METRICS ? (
              <a key={href} href={href}>
                {text}
              </a>
            ) : (
              <Link key={href} href={href}>
                {text}
              </Link>
            ),
            does,
          ])}
        />
      )}
    </aside>
  );
}

const COLUMNS: Columns<Report["checks"][number]> = [
  [
    "What",
    ({ name }) => (
      <>
        {checkName(name)}
        <div class="purpose">{checkPurpose(name)}</div>
      </>
    ),
    "",
    "row",
  ],
  [
    "State",
    (check) => (
      <State isGood={isWorking(check)}>{isWorking(check) ? "working" : "not working"}</State>
    ),
  ],
  ["Details", detailsOf, "words"],
  [
    "Answered in, ms",
    ({ responseTime }) => responseTime !== undefined && decimal(responseTime, 0),
    "number",
  ],
];

/** What more there is to tell than the state; empty for nothing. */
function detailsOf({ name, message }: Pick<Report["checks"][number], "name" | "message">): string {
  const text = message ? checkMessage(name, message) : "";
  return text === "working" ? "" : text;
}
