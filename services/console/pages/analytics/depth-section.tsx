import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { readColumns } from "../../api/columns.ts";
import { classesOf } from "../../map/classes.ts";
import { Legend } from "../../map/legend.tsx";
import { drawSection } from "../../plots/depth-section.ts";
import { Choices } from "../../ui/choices.tsx";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { theme } from "../../ui/theme.ts";
import { useCall } from "../../ui/use-call.ts";
import { Waiting } from "../../ui/waiting.tsx";
import type { AnalysisQuery } from "./analysis.ts";
import type { Catalogue } from "./page.tsx";

const HEIGHT = 420;

type DepthSectionProps = { readonly catalogue: Catalogue; readonly filters: AnalysisQuery };

/** Depths along longitude or latitude, each event as a disc as on the map. */
export function DepthSection({ catalogue, filters }: DepthSectionProps) {
  const along = useSignal<"longitude" | "latitude">("longitude");
  const canvas = useRef<HTMLCanvasElement>(null);
  const query = { asOf: String(catalogue.version), ...filters };
  const { answer, error } = useCall(JSON.stringify([catalogue.id, query]), (signal) =>
    readColumns(catalogue.id, query, [], { signal }),
  );
  const columns = answer.value;
  const classes = columns && classesOf(columns, "magnitude", "global", Date.now());
  useEffect(() => {
    const element = canvas.current;
    if (!element || !columns || !classes) return;
    const draw = () => {
      const width = element.parentElement?.clientWidth ?? 720;
      drawSection(element, columns, classes, {
        along: along.value,
        width,
        height: HEIGHT,
        theme: theme.value,
        ratio: Math.min(2, devicePixelRatio || 1),
      });
    };
    const resized = new ResizeObserver(draw);
    if (element.parentElement) resized.observe(element.parentElement);
    return () => resized.disconnect();
  }, [columns, along.value, theme.value]);
  if (error.value !== null) return <ErrorNotice error={error.value} />;
  if (columns === null || classes === null) return <Waiting />;
  return (
    <div class="stack">
      <Choices
        legend="Along"
        value={along.value}
        options={[
          { value: "longitude", text: "longitude" },
          { value: "latitude", text: "latitude" },
        ]}
        onValue={(value) => {
          along.value = value;
        }}
      />
      <div class="section-frame">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Depths of ${columns.count} events along ${along.value}`}
        />
        <Legend classes={classes} density={null} theme={theme.value} />
      </div>
    </div>
  );
}
