import { useRef } from "preact/hooks";
import { Downloads } from "../ui/downloads.tsx";
import { ScrollArea } from "../ui/scroll-area.tsx";
import { svgOf } from "../ui/text/picture.ts";
import { ChartView } from "./chart.tsx";
import type { Chart } from "./chart-types.ts";

type FigureProps = {
  readonly chart: Chart;
  readonly label: string;
  /** Of the files. */
  readonly name: string;
  readonly csv: (() => string | Promise<string>) | null;
  readonly json?: string;
  readonly isBusy?: boolean;
};

/** A chart, to be seen and to be taken along. */
export function Figure({ chart, label, name, csv, json, isBusy = false }: FigureProps) {
  const picture = useRef<SVGSVGElement>(null);
  return (
    <div class="stack" aria-busy={isBusy}>
      <ScrollArea label={`Plot: ${chart.title}`}>
        <ChartView chart={chart} label={label} picture={picture} />
      </ScrollArea>
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
