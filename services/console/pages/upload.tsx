import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import { Created, type Creation } from "../features/upload/created.tsx";
import { FilePart } from "../features/upload/file-part.tsx";
import { keptUntil, type Reading } from "../features/upload/read-upload.ts";
import { type Entries, newEntries, Review } from "../features/upload/review.tsx";
import { useDraft } from "../ui/form/use-draft.ts";

export function Page() {
  const [query] = useSearchParams();
  const catalogueId = query.get("catalogueId") ?? "";
  return <Upload key={catalogueId} catalogueId={catalogueId} />;
}

/** Nothing is created before what is in the file has been seen. @param catalogueId empty for a new catalogue */
function Upload({ catalogueId }: { readonly catalogueId: string }) {
  const initial = useMemo(() => newEntries("", catalogueId), []);
  // Apart, since the first is large and the second changes at every key.
  const draft = useDraft<Reading | null>(`upload’s file ${catalogueId}`, null);
  const entries = useDraft<Entries>(`upload ${catalogueId}`, initial);
  const creation = useSignal<Creation | null>(null);
  const reading = draft.value !== null && isKept(draft.value) ? draft.value : null;
  const begin = (read: Reading | null) => {
    entries.value = read === null ? initial : newEntries(read.fileName, catalogueId);
    draft.value = read;
  };
  if (creation.value !== null) {
    return (
      <section class="page">
        <div class="page-head">
          <h1>Upload a file</h1>
          <button type="button" class="end" onClick={() => (creation.value = null)}>
            Another file
          </button>
        </div>
        <Created creation={creation.value} />
      </section>
    );
  }
  return (
    <section class="page">
      <h1>Upload a file</h1>
      <div class={reading === null ? "columns wide" : "stack"}>
        <FilePart reading={reading} onChange={() => begin(null)} onRead={begin} />
        {reading === null && (
          <aside class="panel" aria-label="What follows">
            <h2>What follows</h2>
            <ul class="checked">
              {AHEAD.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
            <p class="muted">
              To fetch events from an agency, <Link href="/import">import</Link> them.
            </p>
          </aside>
        )}
      </div>
      {reading !== null && (
        <Review
          key={reading.readAt}
          reading={reading}
          entries={entries.value}
          set={(change) => (entries.value = { ...entries.value, ...change })}
          onCreated={(made) => {
            creation.value = made;
            begin(null);
          }}
        />
      )}
    </section>
  );
}

/** What follows once a file is chosen. */
const AHEAD = [
  "The file is read at once; nothing is created yet.",
  "You see its rows, what was not understood, and the first places on a map.",
  "You choose what each column means, and the catalogue that the events go into.",
];

function isKept(reading: Reading): boolean {
  return Date.parse(keptUntil(reading)) > Date.now();
}
