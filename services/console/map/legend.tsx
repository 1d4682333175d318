import type { ComponentChildren } from "preact";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, GREY, SHADES } from "../drawing/colours.ts";
import type { Colour } from "../drawing/discs.ts";
import { diameterOf } from "../drawing/discs.ts";
import { count } from "../ui/text/format.ts";

type LegendProps = {
  readonly classes: Classes;
  readonly density: readonly number[] | null;
  readonly theme: "light" | "dark";
  readonly children?: ComponentChildren;
};

/** On smaller screens the legend would hide the map, and is folded at first. */
const NARROW = 600;

/** What colours and sizes mean; it folds. */
export function Legend({ classes, density, theme, children }: LegendProps) {
  return (
    <details class="map-legend" open={innerWidth > NARROW}>
      <summary>{density ? "Events in a square" : classes.title}</summary>
      {density ? (
        <Shades density={density} theme={theme} />
      ) : (
        <>
          <ul>
            {classes.classes.map(({ label, colour }) => (
              <Entry key={label} colour={colour} label={label} shape="disc" />
            ))}
          </ul>
          {classes.isLocal && <p>limits of these events</p>}
          <Sizes />
          <p>hollow: magnitude unknown</p>
        </>
      )}
      {children}
    </details>
  );
}

type DensityLegendProps = Pick<LegendProps, "theme"> & { readonly density: readonly number[] };

/** The legend where the map shows counts alone. */
export function DensityLegend({ density, theme }: DensityLegendProps) {
  return (
    <details class="map-legend" open={innerWidth > NARROW}>
      <summary>Events in a square</summary>
      <Shades density={density} theme={theme} />
    </details>
  );
}

function Shades({ density, theme }: DensityLegendProps) {
  return (
    <ul>
      {density.map((from, i) => (
        <Entry
          key={from}
          colour={SHADES[theme][i] ?? GREY}
          label={densityLabel(from, density[i + 1])}
          shape="square"
        />
      ))}
    </ul>
  );
}

type EntryProps = {
  readonly colour: Colour;
  readonly label: string;
  readonly shape: "disc" | "square";
};

function Entry({ colour, label, shape }: EntryProps) {
  return (
    <li>
      <svg class="map-key" viewBox="0 0 12 12" aria-hidden="true">
        {shape === "disc" ? (
          <circle cx="6" cy="6" r="5" fill={cssOf(colour)} />
        ) : (
          <rect x="1" y="1" width="10" height="10" fill={cssOf(colour)} />
        )}
      </svg>
      {label}
    </li>
  );
}

const SIZES = [2, 4, 6, 8];

function Sizes() {
  return (
    <ul class="map-sizes" aria-label="Magnitude">
      {SIZES.map((magnitude) => (
        <li key={magnitude}>
          <svg class="map-size" viewBox="-13 -13 26 26" aria-hidden="true">
            <circle r={diameterOf(magnitude) / 2 - 0.5} />
          </svg>
          {magnitude}
        </li>
      ))}
    </ul>
  );
}

function densityLabel(from: number, next: number | undefined): string {
  if (next === undefined) return `${count(from)} or more`;
  return next - from === 1 ? count(from) : `${count(from)}–${count(next - 1)}`;
}
