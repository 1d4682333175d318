import { analysisAddress, readAnalysis } from "../../api/analysis.ts";
import type { FilterValues } from "../../model/filters.ts";
import { useCall } from "../../ui/call/use-call.ts";
import type { FilteredEvents } from "./filters/use-filtered-events.ts";
import type { Events } from "./use-events.ts";

/**
 * How many events pass the filters; null until it is known. Of more events than one answer holds, the
 * service counts them.
 */
export function useEventCount(
  catalogue: string,
  query: FilterValues & { readonly asOf?: string },
  { columns, areTooMany }: Events,
  { listed }: FilteredEvents,
): number | null {
  const request = { catalogue, query };
  const summary = useCall(areTooMany ? analysisAddress("summary", request) : "", async (signal) =>
    areTooMany ? readAnalysis("summary", request, signal) : null,
  );
  if (areTooMany) return summary.last?.input.events ?? null;
  return columns && (listed?.length ?? columns.count);
}
