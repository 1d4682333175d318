import { useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { areaOfGeometry } from "#contracts/geometry/shape.ts";
import { call } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { Extent, NoRegion } from "../../features/regions/region.tsx";
import { PolygonMap } from "../../map/polygon-map.tsx";
import { areaInWords } from "../../map/shapes.ts";
import { useAnswer, Waiting } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import { CopyField } from "../../ui/form/copy.tsx";
import { Button, ButtonLink, Facts, Frame, type PageProps, useTitle } from "../../ui/page.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import type { SavedRegion } from "../../ui/saved-regions.tsx";
import { saveText } from "../../ui/text/files.ts";
import { Moment } from "../../ui/text/moment.tsx";

/** One saved region. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useAnswer("GET /api/regions/:id", { params: { id } });
  if (error !== null) return <NoRegion error={error} retry={reload} />;
  return answer === null ? <Waiting /> : <Region region={answer.region} />;
}

function Region({ region }: { readonly region: SavedRegion }) {
  const { id, name, note, bbox, geometry } = region;
  const [, navigate] = useLocation();
  const area = useMemo(() => areaOfGeometry(geometry), [region]);
  useTitle(name);
  const save = () => {
    const feature = { type: "Feature", id, properties: { name, note }, bbox, geometry };
    saveText(`${name}.geojson`, "application/geo+json", JSON.stringify(feature));
  };
  return (
    <Frame
      title={name}
      head={
        <nav class="row end" aria-label="This region">
          {has("editor") && (
            <>
              <ButtonLink class="quiet" href={`/regions/${id}/change`} text="Change…" />
              <Button class="quiet" onClick={() => askToDelete(region, navigate)} text="Delete…" />
            </>
          )}
          <ButtonLink class="quiet" href="/regions" text="All regions" />
        </nav>
      }
    >
      {note !== null && <p class="text">{note}</p>}
      <div class="columns wide">
        <PolygonMap area={area} />
        <div class="stack">
          {has("admin") && <NamesOfPeople />}
          <Facts
            facts={[
              ["Extent", <Extent key="extent" bbox={bbox} />],
              ["Outline", areaInWords(area)],
              ["Made", told(region.created_at, region.created_by)],
              region.updated_at !== region.created_at && [
                "Changed",
                told(region.updated_at, region.updated_by),
              ],
            ]}
          />
          <CopyField label="Its id, for “region” in addresses" value={id} />
          <div class="row">
            <Button onClick={save} text="Save as GeoJSON" />
          </div>
        </div>
      </div>
    </Frame>
  );
}

function told(at: string, by: string) {
  return (
    <>
      <Moment at={at} /> by <Actor id={by} />
    </>
  );
}

function askToDelete({ id, name }: SavedRegion, navigate: (to: string) => void): void {
  ask({
    title: `Delete ${name}`,
    action: "Delete it",
    isDanger: true,
    text: "Addresses that filter by this region stop working. A region that a schedule imports by cannot be deleted.",
    run: (options) => call("DELETE /api/regions/:id", { params: { id } }, options),
    done: `The region ${name} is deleted.`,
    after: () => navigate("/regions"),
  });
}
