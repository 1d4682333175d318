import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { Classes } from "../drawing/classes.ts";
import { cssOf, GREY, SHADES } from "../drawing/colours.ts";
import { type Colour, diameterOf, drawnDiameter } from "../drawing/discs.ts";
import { Icon } from "../ui/icon.tsx";
import { theme } from "../ui/style/theme.ts";
import { count } from "../ui/text/format.ts";
import { type Drawn, LARGEST } from "./layers.ts";

type LegendProps = {
  readonly classes: Classes;
  /** What the map showed when it was last drawn; null before. */
  readonly drawn: Drawn | null;
  /** Stands for the title of the colours: what chooses them. */
  readonly children?: ComponentChildren;
};

/** In windows that are narrower than this the legend is folded at first. */
const NARROW = 700;

/** What colours and sizes mean, in a strip below the map. */
export function Legend({ classes, drawn, children }: LegendProps) {
  const { density = null, scale = 1 } = drawn ?? {};
  const isOpen = useSignal(innerWidth > NARROW);
  return (
    <div class="map-legend">
      <button
        type="button"
        class="plain map-legend-fold"
        aria-expanded={isOpen.value}
        aria-label={density ? "Legend: density and discs" : `Legend: ${classes.title}`}
        title={isOpen.value ? "Fold the legend" : "Show the legend"}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <Icon name={isOpen.value ? "down" : "right"} />
        {!isOpen.value && "Legend"}
      </button>
      {isOpen.value && (
        <div class="map-legend-parts">
          {density && <Shades density={density} />}
          {children ?? <span class="map-scale-title">{classes.title}</span>}
          <ul class="map-ramp">
            {classes.classes.map(({ label, colour }) => (
              <Entry key={label} colour={colour} label={label} />
            ))}
          </ul>
          <Sizes
            scale={scale}
            title={density ? `Magnitude, the ${LARGEST} largest` : "Magnitude"}
          />
        </div>
      )}
    </div>
  );
}

function Shades({ density }: { readonly density: readonly number[] }) {
  const shades = SHADES[theme.value];
  return (
    <div class="map-scale">
      <span class="map-scale-title">Events in a square</span>
      <ul class="map-ramp">
        {density.map((from, i) => (
          <Entry key={from} colour={shades[i] ?? GREY} label={densityLabel(from, density[i + 1])} />
        ))}
      </ul>
    </div>
  );
}

/** A class as a piece of the ramp, its limits below. */
function Entry({ colour, label }: { readonly colour: Colour; readonly label: string }) {
  return (
    <li>
      <svg class="map-key" viewBox="0 0 40 10" preserveAspectRatio="none" aria-hidden="true">
        <rect width="40" height="10" fill={cssOf(colour)} />
      </svg>
      {label}
    </li>
  );
}

/** The last is of events without a magnitude. */
const SIZES = [2, 4, 6, 7, Number.NaN];

function Sizes({ scale, title }: { readonly scale: number; readonly title: string }) {
  return (
    <div class="map-scale">
      <span class="map-scale-title">{title}</span>
      <ul class="map-sizes" aria-label="Magnitude">
        {SIZES.map((magnitude) => {
          const isKnown = !Number.isNaN(magnitude);
          const diameter = drawnDiameter(diameterOf(magnitude), scale);
          const side = Math.ceil(diameter) + 2;
          return (
            <li key={magnitude}>
              <svg
                class={isKnown ? "map-size" : "map-size hollow"}
                width={side}
                height={side}
                viewBox={`${-side / 2} ${-side / 2} ${side} ${side}`}
                aria-hidden="true"
              >
                <circle r={diameter / 2} />
              </svg>
              {isKnown ? magnitude : "none"}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function densityLabel(from: number, next: number | undefined): string {
  if (next === undefined) return `${count(from)} or more`;
  return next - from === 1 ? count(from) : `${count(from)}–${count(next - 1)}`;
}
