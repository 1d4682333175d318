import type { Signal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { changesOfAccount, has, user } from "../../api/session.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { CataloguesTable } from "./catalogues-table.tsx";

type Catalogue = AnswerOf<"GET /api/catalogues">["catalogues"][number];

/** The newest that are looked at. */
const MOST = 100;

/**
 * Catalogues whose first version could not be written: of their makers' concern alone, and of
 * administrators'. One that has versions already concerns everybody.
 */
export function FailedCatalogues({ marked }: { readonly marked: Signal<string | null> }) {
  const found = useCall(String(changesOfAccount.value), (signal) =>
    call("GET /api/catalogues", { query: { status: "error", pageSize: MOST } }, { signal }),
  );
  const failed = found.last?.catalogues.filter(concernsMe) ?? [];
  if (failed.length === 0) return null;
  return (
    <section class="stack">
      <h2>Not complete</h2>
      <p class="muted">
        Something went wrong with these. Those without a version are seen by their makers and by
        administrators alone: delete them, or import into them again.
      </p>
      <CataloguesTable label="Not complete" catalogues={failed} marked={marked} />
    </section>
  );
}

function concernsMe({ version, created_by }: Catalogue): boolean {
  return version > 0 || has("admin") || (created_by !== null && created_by === user.value?.id);
}
