import { Link, useSearchParams } from "wouter-preact";
import { MergeWizard, STEPS } from "../../features/merge/merge-wizard.tsx";
import { OperationView } from "../../jobs/operation-view.tsx";
import { Steps } from "../../ui/ways.tsx";

/** The operation stands in the address, so that its progress is found again after a reload. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const operation = query.get("operation");
  return (
    <section class="page">
      <div class="page-head">
        <h1>Merge catalogues</h1>
        {operation !== null && (
          <Link class="button quiet end" href="/merge">
            Another merge
          </Link>
        )}
      </div>
      {operation === null ? (
        <MergeWizard onStarted={(id) => setQuery({ operation: id })} />
      ) : (
        <>
          <Steps names={STEPS} at={STEPS.length - 1} />
          <OperationView key={operation} id={operation} />
        </>
      )}
    </section>
  );
}
