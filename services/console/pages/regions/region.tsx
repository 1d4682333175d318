import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { type Area, areaOfGeometry } from "#contracts/geometry/shape.ts";
import { call } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { Extent, NoRegion } from "../../features/regions/region.tsx";
import { PolygonMap } from "../../map/polygon-map.tsx";
import { areaInWords } from "../../map/shapes.ts";
import type { PageProps } from "../../model/page-route.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import type { SavedRegion } from "../../ui/call/use-saved-regions.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { CopyField } from "../../ui/form/copy.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import { Waiting } from "../../ui/states.tsx";
import { saveText } from "../../ui/text/files.ts";
import { Moment } from "../../ui/text/moment.tsx";
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

type RegionFactsProps = { readonly region: SavedRegion; readonly area: Area };

/** How large a region is, whose it is, and how it is taken elsewhere. */
function RegionFacts({ region, area }: RegionFactsProps) {
  const { id, name, note, bbox, geometry } = region;
  const save = () => {
    const feature = { type: "Feature", id, properties: { name, note }, bbox, geometry };
    saveText(`${name}.geojson`, "application/geo+json", JSON.stringify(feature));
  };
  return (
    <div class="stack">
      {has("admin") && <NamesOfPeople />}
      <dl class="facts">
        <dt>Extent</dt>
        <dd>
          <Extent bbox={bbox} />
        </dd>
        <dt>Outline</dt>
        <dd>{areaInWords(area)}</dd>
        <dt>Made</dt>
        <dd>
          <Moment at={region.created_at} /> by <Actor id={region.created_by} />
        </dd>
        {region.updated_at !== region.created_at && (
          <>
            <dt>Changed</dt>
            <dd>
              <Moment at={region.updated_at} /> by <Actor id={region.updated_by} />
            </dd>
          </>
        )}
      </dl>
      <CopyField label="Its id, for “region” in addresses" value={id} />
      <div class="row">
        <button type="button" onClick={save}>
          Save as GeoJSON
        </button>
      </div>
    </div>
  );
}

type DeleteRegionProps = { readonly region: SavedRegion; readonly onClose: () => void };

function DeleteRegion({ region: { id, name }, onClose }: DeleteRegionProps) {
  const [, navigate] = useLocation();
  const end = async (idempotencyKey: string) => {
    await call("DELETE /api/regions/:id", { params: { id } }, { idempotencyKey });
    notice.done(`The region ${name} is deleted.`);
    navigate("/regions");
  };
  return (
    <ConfirmDialog title={`Delete ${name}`} action="Delete it" isDanger run={end} onClose={onClose}>
      <p>
        Addresses that filter by this region stop working. A region that a schedule imports by
        cannot be deleted.
      </p>
    </ConfirmDialog>
  );
}
