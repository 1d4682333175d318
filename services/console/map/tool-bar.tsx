import type { ComponentChildren, JSX } from "preact";
import { Button } from "../ui/page.tsx";
import { LEAST_VERTICES } from "./hands.ts";
import type { LiveMap } from "./live-map.tsx";
import { type Shape, shapeInWords, TOOLS, type Tool } from "./shapes.ts";

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
  polygon: {
    name: "Filter by a polygon",
    key: "p",
    hint: "Click the vertices, or move the map and press the space bar; a double click or Enter closes the polygon, Backspace takes a vertex back",
    icon: <path d="m4 7 7-4 6 6-3 7-9 1z" />,
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
  readonly map: LiveMap;
  /** The only one there is, and its name there; all without it. */
  readonly only?: { readonly tool: Tool; readonly name: string };
  readonly shapes: readonly Shape[];
  readonly onRemoved?: (shape: Shape) => void;
  /** What else can be done with a shape. */
  readonly actionOn?: (shape: Shape) => ComponentChildren;
};

/** What is drawn on the map by hand, and what has been drawn. */
export function ToolBar({ map, only, shapes, onRemoved, actionOn }: ToolBarProps) {
  const { tool, measured } = map;
  const ruler = measured.value;
  return (
    <>
      <div class="map-tools leaflet-bar" role="toolbar" aria-label="Drawing on the map">
        {(only ? [only.tool] : TOOLS).map((one) => {
          const { name, key, icon } = { ...NAMED[one], ...only };
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
        {tool.value && <InHand tool={tool.value} map={map} />}
        {ruler && (
          <span class="map-chip">
            {shapeInWords(ruler)}
            <Remove name="Remove the ruler" onClick={() => (measured.value = null)} />
          </span>
        )}
        {shapes.map((shape) => (
          <span key={shape.kind} class="map-chip">
            {shapeInWords(shape)}
            {actionOn?.(shape)}
            <Remove name={`Remove the ${shape.kind}`} onClick={() => onRemoved?.(shape)} />
          </span>
        ))}
      </div>
    </>
  );
}

/** What is being drawn, or how; the buttons of a polygon are for those without keys. */
function InHand({ tool, map }: { readonly tool: Tool; readonly map: LiveMap }) {
  const draft = map.draft.value;
  return (
    <span class="map-chip">
      {draft ? shapeInWords(draft) : NAMED[tool].hint}
      {draft?.kind === "draft" && (
        <>
          <Button class="plain link" onClick={() => map.vertices?.takeBack()} text="Take back" />
          <Button
            class="plain link"
            disabled={draft.vertices.length < LEAST_VERTICES}
            onClick={() => map.vertices?.close()}
            text="Close"
          />
        </>
      )}
      <Remove name="Stop drawing" onClick={() => (map.tool.value = null)} />
    </span>
  );
}

function Remove({ name, onClick }: { readonly name: string; readonly onClick: () => void }) {
  return <Button class="plain" aria-label={name} title={name} onClick={onClick} text="×" />;
}
