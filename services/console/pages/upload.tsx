import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import { Created, type Creation } from "../features/upload/created.tsx";
import { FilePart } from "../features/upload/file-part.tsx";
import { type Entries, newEntries, READ_STEPS, ReadSteps } from "../features/upload/read-steps.tsx";
import { keptUntil, type Reading } from "../features/upload/read-upload.ts";
import { useDraft } from "../ui/form/use-draft.ts";
import { Steps } from "../ui/steps.tsx";

const STEPS = ["File", "Reading", "Report", "Columns", "Catalogue"];
const FIRST_READ_STEP = 2;

export function Page() {
  const [query] = useSearchParams();
  const catalogueId = query.get("catalogueId") ?? "";
  return <UploadWizard key={catalogueId} catalogueId={catalogueId} />;
}

type UploadWizardProps = {
  /** Empty for a new catalogue. */
  readonly catalogueId: string;
};

/** Nothing is created before the report of the file's lines has been seen. */
function UploadWizard({ catalogueId }: UploadWizardProps) {
  const initial = useMemo(() => newEntries("", catalogueId), []);
  // Apart, since the first is large and the second changes at every key.
  const draft = useDraft<Reading | null>(`upload’s file ${catalogueId}`, null);
  const entries = useDraft<Entries>(`upload ${catalogueId}`, initial);
  const isReading = useSignal(false);
  const creation = useSignal<Creation | null>(null);
  const reading = draft.value !== null && isKept(draft.value) ? draft.value : null;
  const begin = (read: Reading | null) => {
    entries.value = read === null ? initial : newEntries(read.fileName, catalogueId);
    draft.value = read;
  };
  if (creation.value !== null) {
    return <Finished creation={creation.value} onRestart={() => (creation.value = null)} />;
  }
  const step = READ_STEPS.indexOf(entries.value.step);
  const at = reading !== null ? FIRST_READ_STEP + step : isReading.value ? 1 : 0;
  return (
    <section class="page">
      <h1>Upload a file</h1>
      <Steps names={STEPS} at={at} />
      <FilePart
        isRead={reading !== null}
        onChange={() => begin(null)}
        onBusy={(isBusy) => (isReading.value = isBusy)}
        onRead={begin}
      />
      {reading !== null && (
        <ReadSteps
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
      {reading === null && <BeforeReading />}
    </section>
  );
}

function BeforeReading() {
  return (
    <p class="muted">
      Nothing is created before you have seen what is in the file. To fetch events from an agency,{" "}
      <Link href="/import">import</Link> them.
    </p>
  );
}

type FinishedProps = { readonly creation: Creation; readonly onRestart: () => void };

function Finished({ creation, onRestart }: FinishedProps) {
  return (
    <section class="page">
      <div class="page-head">
        <h1>Upload a file</h1>
        <button type="button" class="end" onClick={onRestart}>
          Another file
        </button>
      </div>
      <Steps names={STEPS} at={STEPS.length} />
      <Created creation={creation} />
    </section>
  );
}

function isKept(reading: Reading): boolean {
  return Date.parse(keptUntil(reading)) > Date.now();
}
