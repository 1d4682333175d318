import { useSignal } from "@preact/signals";
import { MergeCountsLine } from "../../jobs/merge-counts.tsx";
import { count } from "../../ui/text/format.ts";
import { AmbiguousPairs } from "./ambiguous-pairs.tsx";
import { Groups } from "./groups.tsx";
import { listedCounts } from "./listed-counts.ts";
import type { Preview, Source } from "./merge-body.ts";

/** Groups, and pairs, in one answer. */
const MERGE_PREVIEW_MOST = 1_000;

type PreviewPartProps = { readonly preview: Preview; readonly sources: readonly Source[] };

/** What the merge would do, and the pairs that a person should look at. */
export function PreviewPart({ preview, sources }: PreviewPartProps) {
  const { groups, ambiguous } = preview;
  const tab = useSignal<"ambiguous" | "groups">(ambiguous.length > 0 ? "ambiguous" : "groups");
  const counts = listedCounts(preview);
  const names = {
    ambiguous: `Ambiguous pairs (${counts.ambiguous})`,
    groups: `Groups (${counts.groups})`,
  };
  return (
    <section class="panel" aria-label="Preview">
      <h2>Preview</h2>
      <MergeCountsLine counts={preview} />
      <div class="row">
        {(["ambiguous", "groups"] as const).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={tab.value === name}
            onClick={() => (tab.value = name)}
          >
            {names[name]}
          </button>
        ))}
      </div>
      {preview.truncated && (
        <p class="muted">
          At most {count(MERGE_PREVIEW_MOST)} of each are listed; the merge takes all of them.
        </p>
      )}
      {tab.value === "ambiguous" ? (
        <AmbiguousPairs pairs={ambiguous} sources={sources} />
      ) : (
        <Groups groups={groups} sources={sources} />
      )}
    </section>
  );
}
