import { analysisAddress, readAnalysis } from "../../api/analysis.ts";
import type { FilterValues } from "../../model/filters.ts";
import { useCall } from "../../ui/call/use-call.ts";
import type { Events } from "./use-events.ts";
import type { Passed } from "./use-passed.ts";

/**
 * How many events pass the filters; null until it is known. Of more events than one answer holds, the
 * service counts them.
 */
export function useFound(
  catalogue: string,
  query: FilterValues & { readonly asOf?: string },
  { columns, areTooMany }: Events,
  { listed }: Passed,
): number | null {
  const asked = { catalogue, query };
  const summary = useCall(areTooMany ? analysisAddress("summary", asked) : "", async (signal) =>
    areTooMany ? readAnalysis("summary", asked, signal) : null,
  );
  if (areTooMany) return summary.last?.input.events ?? null;
  return columns && (listed?.length ?? columns.count);
}
