import { useMemo, useRef } from "preact/hooks";
import { frameWidth } from "#contracts/plots/layout.ts";
import { Downloads } from "../../ui/downloads.tsx";
import { svgOf } from "../../ui/text/picture.ts";
import { ChartView } from "./chart.tsx";
import type { Chart } from "./chart-types.ts";
import { usePlotWidth } from "./use-plot-width.ts";

type FigureProps = {
  /** A function where it depends on how wide its frame is, px. */
  readonly chart: Chart | ((wide: number) => Chart);
  readonly label: string;
  /** Of the files. */
  readonly name: string;
  readonly csv: (() => string | Promise<string>) | null;
  readonly json?: string;
  readonly isBusy?: boolean;
};

/** A chart, drawn for the width that it has, to be seen and to be taken along. */
export function Figure({ chart, label, name, csv, json, isBusy = false }: FigureProps) {
  const picture = useRef<SVGSVGElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const width = usePlotWidth(frame);
  const drawn = useMemo(
    () => (typeof chart === "function" ? chart(frameWidth(width)) : chart),
    [chart, width],
  );
  return (
    <div class="stack" aria-busy={isBusy}>
      <div class="plot-frame" ref={frame}>
        {width > 0 && <ChartView {...{ chart: drawn, label, width, picture }} />}
      </div>
      <Downloads
        name={name}
        svg={() => picture.current && svgOf(picture.current)}
        csv={csv}
        isBusy={isBusy}
        {...(json !== undefined && { json })}
      />
    </div>
  );
}
