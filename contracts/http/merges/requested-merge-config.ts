import { z } from "zod";
import { GivenConversions } from "../../merge/known-conversions.ts";
import { MERGE_LIMITS, MergeConfig, MergeWindow, SourceLabel } from "../../merge/merge-config.ts";
import { queryTime } from "../../query/values.ts";
import { compareTimes } from "../../seismic-event/origin-time.ts";
import { isShownLine, NOT_SHOWN } from "../../shown-text.ts";

/** Only for new labels: older ones in the log keep their text. */
export const NewLabel = SourceLabel.refine(isShownLine, { message: NOT_SHOWN });

const Window = MergeWindow.safeExtend({
  sources: z.array(NewLabel).min(1).max(MERGE_LIMITS.maxSources).optional(),
  from: queryTime("origin time at or after; ISO 8601").optional(),
  to: queryTime("origin time before; ISO 8601").optional(),
}).refine(({ from, to }) => !from || !to || compareTimes(from, to) < 0, {
  path: ["to"],
  message: "is not after from",
});

/** The settings of a merge as clients give them. */
export const RequestedConfig = MergeConfig.extend({
  priority: NewLabel.default(""),
  windows: z.array(Window).max(MERGE_LIMITS.windows).optional(),
  conversions: GivenConversions.optional(),
});
