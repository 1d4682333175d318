import type { JSX } from "preact";
import { azimuthTo, distanceKm } from "../model/great-circle.ts";
import { count, decimal, latitude, longitude } from "../ui/text/format.ts";
import { type Shape, TOOLS, type Tool } from "./shapes.ts";
import type { Tools } from "./use-tools.ts";

type Named = {
  readonly name: string;
  readonly key: string;
  readonly hint: string;
  readonly icon: JSX.Element;
};

const NAMED: Readonly<Record<Tool, Named>> = {
  box: {
    name: "Filter by a box",
    key: "b",
    hint: "Draw a box: its events alone are shown",
    icon: <rect x="3" y="4.5" width="14" height="11" rx="1" />,
  },
  circle: {
    name: "Filter by a circle",
    key: "o",
    hint: "Draw a circle from its middle: its events alone are shown",
    icon: (
      <>
        <circle cx="10" cy="10" r="7" />
        <circle cx="10" cy="10" r="0.6" />
      </>
    ),
  },
  ruler: {
    name: "Measure a distance",
    key: "m",
    hint: "Draw from one place to another: distance and azimuth",
    icon: <path d="M2.5 13.5 13.5 2.5l4 4-11 11zM6 10l1.6 1.6M8.7 7.3l1.6 1.6M11.4 4.6 13 6.2" />,
  },
  section: {
    name: "Draw a depth section",
    key: "s",
    hint: "Draw a line: the depths along it are shown",
    icon: <path d="M2 4h16M4 4v5.5c3 4 9 7 14 7.5M8 8h.01M11 11h.01M14.5 13h.01" />,
  },
};

type ToolBarProps = {
  readonly tools: Tools;
  readonly shapes: readonly Shape[];
  readonly onRemoved: ((shape: Shape) => void) | undefined;
};

/** What is drawn on the map by hand, and what has been drawn. */
export function ToolBar({ tools, shapes, onRemoved }: ToolBarProps) {
  const { tool, draft, measured } = tools;
  const ruler = measured.value;
  return (
    <>
      <div class="map-tools leaflet-bar" role="toolbar" aria-label="Drawing on the map">
        {TOOLS.map((one) => {
          const { name, key, icon } = NAMED[one];
          return (
            <button
              key={one}
              type="button"
              class="plain"
              aria-label={name}
              aria-pressed={tool.value === one}
              title={`${name} (${key})`}
              data-shortcut={key}
              onClick={() => (tool.value = tool.value === one ? null : one)}
            >
              <svg viewBox="0 0 20 20" aria-hidden="true">
                {icon}
              </svg>
            </button>
          );
        })}
      </div>
      <div class="map-chips" role="status">
        {tool.value && (
          <span class="map-chip">
            {draft.value ? textOf(draft.value) : NAMED[tool.value].hint}
            <Remove name="Stop drawing" onClick={() => (tool.value = null)} />
          </span>
        )}
        {ruler && (
          <span class="map-chip">
            {textOf(ruler)}
            <Remove name="Remove the ruler" onClick={() => (measured.value = null)} />
          </span>
        )}
        {shapes.map((shape) => (
          <span key={shape.kind} class="map-chip">
            {textOf(shape)}
            <Remove name={`Remove the ${shape.kind}`} onClick={() => onRemoved?.(shape)} />
          </span>
        ))}
      </div>
    </>
  );
}

function Remove({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="plain" aria-label={name} title={name} onClick={onClick}>
      ×
    </button>
  );
}

/** A shape in words. */
function textOf(shape: Shape): string {
  switch (shape.kind) {
    case "box": {
      const { south, north, west, east } = shape.bounds;
      return `Box ${latitude(south, 2)} to ${latitude(north, 2)}, ${longitude(west, 2)} to ${longitude(east, 2)}`;
    }
    case "circle":
      return `Within ${kilometres(shape.km)} of ${latitude(shape.middle.latitude, 2)} ${longitude(shape.middle.longitude, 2)}`;
    case "ruler": {
      const { from, to } = shape;
      const [there, back] = [azimuthTo(from, to), azimuthTo(to, from)];
      return `${kilometres(distanceKm(from, to))}, azimuth ${decimal(there, 1)}°, back ${decimal(back, 1)}°`;
    }
    case "section":
      return `Section of ${kilometres(distanceKm(shape.from, shape.to))}, ${kilometres(shape.halfWidthKm)} on each side`;
  }
}

function kilometres(km: number): string {
  return `${km < 100 ? decimal(km, 1) : count(km)} km`;
}
