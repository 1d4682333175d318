import { Link, useSearchParams } from "wouter-preact";
import type { ImportResult } from "#contracts/http/imports.ts";
import { ImportFields } from "../features/import/import-fields.tsx";
import type { Operation } from "../jobs/operation.ts";
import { OperationView } from "../jobs/operation-view.tsx";
import { Outcome } from "../jobs/outcome.tsx";
import {
  type CarriedSettings,
  carriedIn,
  carriedQuery,
  newScheduleAddress,
} from "../model/schedule-address.ts";

/** The operation stands in the address, so that its progress is found again after a reload. */
export function Page() {
  const [query, setQuery] = useSearchParams();
  const operation = query.get("operation");
  return (
    <section class={operation === null ? "page" : "page middle"}>
      <div class="page-head">
        <h1>Import from an agency</h1>
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
          onStarted={(id, carried) => setQuery(`${carriedQuery(carried)}&operation=${id}`)}
        />
      ) : (
        <OperationView
          key={operation}
          id={operation}
          outcome={(shown) => (
            <>
              <Outcome operation={shown} />
              <KeepCurrent operation={shown} carried={carriedIn(query)} />
            </>
          )}
        />
      )}
    </section>
  );
}

type KeepCurrentProps = { readonly operation: Operation; readonly carried: CarriedSettings };

/** Leads on to a schedule that goes on with what was imported. */
function KeepCurrent({ operation: { status, result }, carried }: KeepCurrentProps) {
  const { catalogueId } = (result ?? {}) as Partial<ImportResult>;
  if (status !== "succeeded" || catalogueId === undefined) return null;
  return (
    <p class="row">
      <Link class="button" href={newScheduleAddress(catalogueId, carried)}>
        Keep this current…
      </Link>
      <span class="muted">The agency is asked for the same again and again.</span>
    </p>
  );
}
