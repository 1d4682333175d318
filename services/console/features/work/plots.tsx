import { Link } from "wouter-preact";
import { searchOf } from "../../model/work-state.ts";
import { MagnitudesPlot } from "./magnitudes-plot.tsx";
import type { PlotsProps } from "./panel-props.ts";
import { QualityPlot } from "./quality-plot.tsx";
import { ScatterPlot } from "./scatter-plot.tsx";

/** One plot of the events that pass the filters, and where more is told of it. */
export function Plots(props: PlotsProps) {
  const { tab, catalogue, state, filters } = props;
  return (
    <div class="side-plot">
      {tab === "magnitudes" ? (
        <MagnitudesPlot {...props} />
      ) : tab === "quality" ? (
        <QualityPlot {...props} />
      ) : (
        <ScatterPlot {...props} kind={tab} />
      )}
      <p>
        <Link href={`/catalogues/${catalogue.id}/analytics${searchOf({ ...state, filters })}`}>
          Open in the analytics
        </Link>
      </p>
    </div>
  );
}
