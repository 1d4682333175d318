import { COLOUR_BY } from "../../drawing/classes.ts";
import type { WorkState } from "../../model/work-state.ts";
import { Select } from "../../ui/form/select.tsx";
import type { Change } from "../../ui/use-work-state.ts";

type MapControlsProps = {
  readonly state: WorkState;
  readonly scale: "global" | "local";
  readonly change: Change;
};

const NAMES = {
  depth: "Depth, km",
  age: "Age",
  magnitude: "Magnitude",
  quality: "Azimuthal gap, °",
};

/** What the discs' colours mean. */
export function MapControls({ state, scale, change }: MapControlsProps) {
  return (
    <div class="map-controls">
      <Select
        label="Colour by"
        hasHiddenLabel
        value={state.colour}
        options={COLOUR_BY.map((value) => ({ value, text: NAMES[value] }))}
        onValue={(colour) => change({ colour })}
      />
      {state.colour === "depth" && (
        <Select
          label="Classes"
          hasHiddenLabel
          value={scale}
          options={[
            { value: "global", text: "usual classes" },
            { value: "local", text: "fitted classes" },
          ]}
          onValue={(chosen) => change({ scale: chosen })}
        />
      )}
    </div>
  );
}
