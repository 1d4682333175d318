import type { MergeCounts } from "#contracts/http/merges.ts";
import { count, counted } from "../ui/text/format.ts";

/** "28,378 events become 17,418: 10,960 duplicates in 9,800 groups". */
export function MergeCountsLine({ counts }: { readonly counts: MergeCounts }) {
  const { originalEventCount, eventCount, duplicateGroups, duplicatesRemoved } = counts;
  return (
    <p class="sum">
      <strong>{counted(originalEventCount, "event")}</strong> become{" "}
      <strong>{count(eventCount)}</strong>: {counted(duplicatesRemoved, "duplicate")} in{" "}
      {counted(duplicateGroups, "group")}
    </p>
  );
}
