import type { Operation } from "../jobs/operation.ts";
import { KINDS, OperationView } from "../jobs/operation-view.tsx";
import { Outcome } from "../jobs/outcome.tsx";
import type { PageProps } from "../model/page-route.ts";
import { Facts } from "../ui/facts.tsx";
import { ButtonLink } from "../ui/page.tsx";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

export function Page({ params: { id = "" } }: PageProps) {
  return (
    <section class="page middle">
      <div class="page-head">
        <h1>Operation</h1>
        <ButtonLink class="quiet end" href="/operations" text="All operations" />
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
        <Facts
          facts={[
            ["Work", KINDS[kind]],
            ["Started", told(created_at)],
            [status === "running" ? "Last news" : "Ended", told(updated_at)],
          ]}
        />
        <p class="muted">
          {status === "running"
            ? "It goes on when you leave this page. Cancelled, it leaves nothing half done."
            : "It is listed for seven days after its end."}
        </p>
      </section>
    </div>
  );
}

function told(at: string) {
  return (
    <>
      <Moment at={at} />, <UtcTime at={at} length={19} /> UTC
    </>
  );
}
