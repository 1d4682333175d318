import { useMemo } from "preact/hooks";
import { analysisAddress, readAnalysis } from "../../api/analysis.ts";
import { CellMap, cellSideOf } from "../../map/cell-map.tsx";
import { ErrorNotice, useCall, Waiting } from "../../ui/call.tsx";
import { count } from "../../ui/text/format.ts";
import { withinMap } from "./filters/use-filters.ts";
import { useMapView, type Work } from "./work.ts";

/** How many events lie where, of more events than one answer holds: counted by the service. */
export function Overview({ work }: { readonly work: Work }) {
  const { catalogue, asOf, outsideMap, bounds, most } = work;
  const request = {
    catalogue: catalogue.id,
    query: {
      ...(asOf !== null && { asOf }),
      ...withinMap(outsideMap, bounds.value),
      cell: String(cellSideOf(bounds.value)),
    },
  };
  const { last, error } = useCall(analysisAddress("density", request), (signal) =>
    readAnalysis("density", request, signal),
  );
  const cells = useMemo(
    () => ({ side: Number(last?.parameters["cell"] ?? 1), cells: last?.bins ?? [] }),
    [last],
  );
  return (
    <>
      <p class="notice">
        The map counts the events in squares. Single events, the table and the plots are shown of at
        most {count(most)} events: narrow the filters, or look only at what the map shows.
      </p>
      <ErrorNotice error={error} />
      {last === null && error === null && <Waiting text="Counting…" />}
      <CellMap cells={cells} {...useMapView(work)} />
    </>
  );
}
