import { Link, useSearchParams } from "wouter-preact";
import { useSettings } from "../api/settings.ts";
import { ImportFields } from "../features/import/import-fields.tsx";
import { OperationView } from "../jobs/operation-view.tsx";

/** The operation stands in the address, so that its progress is found again after a reload. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const operation = query.get("operation");
  const agencies = useSettings()?.agencies ?? [];
  return (
    <section class={operation === null ? "page" : "page middle"}>
      <div class="page-head">
        <h1>Import from {agencies[0] ?? "the agency"}</h1>
        {operation !== null && (
          <Link class="button quiet end" href="/import">
            Another import
          </Link>
        )}
      </div>
      {operation === null ? (
        <ImportFields
          key={query.get("catalogueId")}
          catalogueId={query.get("catalogueId") ?? ""}
          onStarted={(id) => setQuery({ operation: id })}
        />
      ) : (
        <OperationView key={operation} id={operation} />
      )}
    </section>
  );
}
