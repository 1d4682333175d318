import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link } from "wouter-preact";
import { areaOfGeometry } from "#contracts/geometry/shape.ts";
import { call } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { DeleteRegion } from "../../features/regions/delete-region.tsx";
import { NoRegion } from "../../features/regions/no-region.tsx";
import { RegionFacts } from "../../features/regions/region-facts.tsx";
import { PolygonMap } from "../../map/polygon-map.tsx";
import type { PageProps } from "../../model/page-route.ts";
import { useCall } from "../../ui/call/use-call.ts";
import type { SavedRegion } from "../../ui/call/use-saved-regions.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { useTitle } from "../../ui/use-title.ts";

/** One saved region. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall(
    id,
    async (signal) => (await call("GET /api/regions/:id", { params: { id } }, { signal })).region,
  );
  if (error !== null) return <NoRegion error={error} retry={reload} />;
  return answer === null ? <Waiting /> : <Region region={answer} />;
}

function Region({ region }: { readonly region: SavedRegion }) {
  const { id, name, note } = region;
  const isEnding = useSignal(false);
  const area = useMemo(() => areaOfGeometry(region.geometry), [region]);
  useTitle(name);
  return (
    <section class="page">
      <div class="page-head">
        <h1>{name}</h1>
        <nav class="row end" aria-label="This region">
          {has("editor") && (
            <>
              <Link class="button quiet" href={`/regions/${id}/change`}>
                Change…
              </Link>
              <button type="button" class="quiet" onClick={() => (isEnding.value = true)}>
                Delete…
              </button>
            </>
          )}
          <Link class="button quiet" href="/regions">
            All regions
          </Link>
        </nav>
      </div>
      {note !== null && <p class="text">{note}</p>}
      <div class="columns wide">
        <PolygonMap area={area} />
        <RegionFacts region={region} area={area} />
      </div>
      {isEnding.value && <DeleteRegion region={region} onClose={() => (isEnding.value = false)} />}
    </section>
  );
}
