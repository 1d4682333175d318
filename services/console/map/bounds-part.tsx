import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bounds } from "../model/bounds.ts";
import { BOUNDS, type CarriedSettings, withArea } from "../model/typed-bounds.ts";
import { boxOfSides } from "../model/work-state.ts";
import { TypedFields } from "../ui/form/fields.tsx";
import { Button, Panel } from "../ui/page.tsx";
import { RegionChoice } from "../ui/saved-regions.tsx";
import { useLiveMap } from "./live-map.tsx";
import { outlineOf } from "./shapes.ts";

type BoundsPartProps = {
  /** The region is a saved one's id; empty for none. */
  readonly asked: Pick<CarriedSettings, "bounds" | "region">;
  readonly set: (change: Partial<Pick<CarriedSettings, "bounds" | "region">>) => void;
  readonly problemOf: (field: string) => string | undefined;
};

/** What earthquakes are asked for, by fields or by a map. */
export function BoundsPart({ asked: { bounds, region }, set, problemOf }: BoundsPartProps) {
  const isOpen = useSignal(false);
  return (
    <Panel title="Bounds">
      <p class="muted">
        Leave a field empty where there is no bound; bounds are inclusive. A longitude from 170° to
        −170° reaches across the date line.
      </p>
      <div class="field-grid pairs">
        <TypedFields
          fields={BOUNDS}
          values={bounds}
          set={(change) => set({ bounds: { ...bounds, ...change } })}
          problemOf={problemOf}
        />
      </div>
      <RegionChoice
        label="Saved region"
        value={region}
        hint="Of what the agency has in a box around it, the events outside are left out."
        problem={problemOf("region")}
        onValue={(chosen) => set({ region: chosen })}
      />
      <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary>On a map</summary>
        {isOpen.value && (
          <AreaMap
            area={boxOfSides(bounds)}
            onArea={(area) => set({ bounds: withArea(bounds, area) })}
          />
        )}
      </details>
    </Panel>
  );
}

/** A map by which an area is chosen: it is moved until it shows the area. */
function AreaMap(props: { readonly area: Bounds | null; readonly onArea: (area: Bounds) => void }) {
  const { area, onArea } = props;
  const { map, surface } = useLiveMap({
    label: "Map of the area; arrows move it, + and − zoom, 0 shows the world",
    areas: useMemo(() => (area ? [outlineOf(area)] : []), [JSON.stringify(area)]),
    start: () => area,
    whole: () => null,
  });
  const seen = map.bounds.value;
  return (
    <div class="stack">
      <div class="area-map map-frame">{surface}</div>
      <div class="row">
        <Button
          disabled={seen === null}
          onClick={() => seen && onArea(seen)}
          text="Take what the map shows"
        />
      </div>
    </div>
  );
}
