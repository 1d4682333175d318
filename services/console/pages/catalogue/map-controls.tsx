import { COLOUR_BY } from "../../map/classes.ts";
import { Select } from "../../ui/select.tsx";
import type { WorkState } from "./url-state.ts";
import type { Change } from "./use-work-state.ts";

type MapControlsProps = {
  readonly state: WorkState;
  readonly scale: "global" | "local";
  readonly change: Change;
};

const NAMES = { depth: "Depth", age: "Age", magnitude: "Magnitude", quality: "Azimuthal gap" };

/** What the discs' colours mean. */
export function MapControls({ state, scale, change }: MapControlsProps) {
  return (
    <div class="map-controls">
      <Select
        label="Colour by"
        value={state.colour}
        options={COLOUR_BY.map((value) => ({ value, text: NAMES[value] }))}
        onValue={(colour) => change({ colour })}
      />
      {state.colour === "depth" && (
        <Select
          label="Classes"
          value={scale}
          options={[
            { value: "global", text: "of all catalogues" },
            { value: "local", text: "of these depths" },
          ]}
          onValue={(chosen) => change({ scale: chosen })}
        />
      )}
    </div>
  );
}
