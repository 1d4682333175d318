import type { MergeCounts } from "#contracts/http/merge.ts";
import { count, counted } from "../ui/text/format.ts";

/** "28,378 → 17,418 events, 10,960 groups". */
export function MergeCountsLine({ counts }: { readonly counts: MergeCounts }) {
  const { originalEventCount, eventCount, duplicateGroups, duplicatesRemoved } = counts;
  return (
    <p class="sum">
      <strong>{count(originalEventCount)}</strong> → <strong>{count(eventCount)}</strong> events:{" "}
      {counted(duplicatesRemoved, "duplicate")} in {counted(duplicateGroups, "group")}
    </p>
  );
}
