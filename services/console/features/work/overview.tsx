import { useMemo } from "preact/hooks";
import { type AnswerTo, analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { useSettings } from "../../api/settings.ts";
import type { Cells } from "../../map/cell-layer.ts";
import { CellMap } from "../../map/cell-map.tsx";
import { cellSideOf } from "../../map/cell-size.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import type { WorkState } from "../../model/work-state.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { count } from "../../ui/text/format.ts";
import type { Change } from "../../ui/use-work-state.ts";
import { withinMap } from "./filters/map-box.ts";
import type { SeenFilters } from "./filters/use-filters.ts";
import { USUAL_MOST } from "./use-events.ts";
import { useMapView } from "./use-map-view.ts";

type OverviewProps = {
  readonly catalogue: Catalogue;
  readonly asOf: string | null;
  readonly state: WorkState;
  readonly filters: SeenFilters;
  readonly change: Change;
};

/** How many events lie where, of more events than one answer holds: counted by the service. */
export function Overview({ catalogue, asOf, state, filters, change }: OverviewProps) {
  const { view, moved } = useMapView(state, filters, change);
  const most = useSettings()?.limits.maxColumnEvents ?? USUAL_MOST;
  const area = filters.bounds.value;
  const side = cellSideOf(area);
  const request = {
    catalogue: catalogue.id,
    query: {
      ...(asOf !== null && { asOf }),
      ...withinMap(filters.outsideMap, area),
      cell: String(side),
    },
  };
  const inView = useCall(analysisAddress("density", request), (signal) =>
    readAnalysis("density", request, signal),
  );
  const cells = useMemo(() => cellsOf(inView.last), [inView.last]);
  return (
    <>
      <p class="notice">
        The map counts the events in squares. Single events, the table and the plots are shown of at
        most {count(most)} events: narrow the filters, or look only at what the map shows.
      </p>
      <ErrorNotice error={inView.error} />
      {inView.last === null && inView.error === null && <Waiting text="Counting…" />}
      <CellMap cells={cells} view={view} onMoved={moved} />
    </>
  );
}

function cellsOf(answer: AnswerTo<"density"> | null): Cells {
  const side = Number(answer?.parameters["cell"] ?? 1);
  return { side, cells: answer?.bins ?? [] };
}
