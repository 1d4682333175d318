import { KINDS, type Operation, OperationView, Outcome } from "../jobs/operation.tsx";
import { Facts, Frame, type PageProps, Panel } from "../ui/page.tsx";
import { Moment, UtcTime } from "../ui/text/moment.tsx";

export function Page({ params: { id = "" } }: PageProps) {
  return (
    <Frame title="Operation" class="page middle" back={["/operations", "All operations"]}>
      <OperationView key={id} id={id} outcome={(operation) => <Parts operation={operation} />} />
    </Frame>
  );
}

function Parts({ operation }: { readonly operation: Operation }) {
  const { kind, status, created_at, updated_at } = operation;
  return (
    <div class="sheets">
      <Outcome operation={operation} />
      <Panel title="About it" aria-label="About it">
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
      </Panel>
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
