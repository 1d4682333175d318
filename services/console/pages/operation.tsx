import { Link } from "wouter-preact";
import type { Operation } from "../jobs/operation.ts";
import { OperationView } from "../jobs/operation-view.tsx";
import { Outcome } from "../jobs/outcome.tsx";
import { KINDS } from "../jobs/progress.tsx";
import type { PageProps } from "../model/page-route.ts";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

export function Page({ params: { id = "" } }: PageProps) {
  return (
    <section class="page middle">
      <div class="page-head">
        <h1>Operation</h1>
        <Link class="button quiet end" href="/operations">
          All operations
        </Link>
      </div>
      <OperationView key={id} id={id} outcome={(operation) => <Parts operation={operation} />} />
    </section>
  );
}

function Parts({ operation }: { readonly operation: Operation }) {
  const { kind, status, created_at, updated_at } = operation;
  return (
    <div class="sheets">
      <Outcome operation={operation} />
      <section class="panel" aria-label="About it">
        <h2>About it</h2>
        <dl class="facts">
          <dt>Work</dt>
          <dd>{KINDS[kind]}</dd>
          <dt>Started</dt>
          <dd>
            <Moment at={created_at} />, <UtcTime at={created_at} length={19} /> UTC
          </dd>
          <dt>{status === "running" ? "Last news" : "Ended"}</dt>
          <dd>
            <Moment at={updated_at} />, <UtcTime at={updated_at} length={19} /> UTC
          </dd>
        </dl>
        <p class="muted">
          {status === "running"
            ? "It goes on when you leave this page. Cancelled, it leaves nothing half done."
            : "It is listed for seven days after its end."}
        </p>
      </section>
    </div>
  );
}
