import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { NoRegion } from "../../features/regions/region.tsx";
import { RegionForm } from "../../features/regions/region-form.tsx";
import type { PageProps } from "../../model/page-route.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/states.tsx";

/** A new region, or the settings of one that is there. */
export function Page({ params: { id } }: PageProps) {
  const [query] = useSearchParams();
  const { answer, error, reload } = useCall(id ?? "", async (signal) =>
    id === undefined
      ? null
      : (await call("GET /api/regions/:id", { params: { id } }, { signal })).region,
  );
  if (error !== null) return <NoRegion error={error} retry={reload} />;
  if (id !== undefined && answer === null) return <Waiting />;
  return (
    <section class="page">
      <div class="page-head">
        <h1>{answer === null ? "New region" : `Change ${answer.name}`}</h1>
        <Link
          class="button quiet end"
          href={answer === null ? "/regions" : `/regions/${answer.id}`}
        >
          {answer === null ? "All regions" : "Back to the region"}
        </Link>
      </div>
      <RegionForm region={answer} polygon={query.get("polygon")} />
    </section>
  );
}
