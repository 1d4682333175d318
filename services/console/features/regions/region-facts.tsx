import type { Area } from "#contracts/geometry/shape.ts";
import { has } from "../../api/session.ts";
import { areaInWords } from "../../map/shape-in-words.ts";
import type { SavedRegion } from "../../ui/call/use-saved-regions.ts";
import { CopyField } from "../../ui/form/copy-field.tsx";
import { Actor, NamesOfPeople } from "../../ui/person.tsx";
import { Moment } from "../../ui/text/moment.tsx";
import { saveText } from "../../ui/text/save-text.ts";
import { Extent } from "./extent.tsx";

type RegionFactsProps = { readonly region: SavedRegion; readonly area: Area };

/** How large a region is, whose it is, and how it is taken elsewhere. */
export function RegionFacts({ region, area }: RegionFactsProps) {
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
