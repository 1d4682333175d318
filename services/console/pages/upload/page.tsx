import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { Steps } from "../../ui/steps.tsx";
import type { ColumnChoice } from "./columns.ts";
import { ColumnsPart } from "./columns-part.tsx";
import { CreatePart } from "./create-part.tsx";
import { Created, type Creation } from "./created.tsx";
import { FilePart } from "./file-part.tsx";
import type { Upload } from "./read-upload.ts";
import { ReportPart } from "./report-part.tsx";

const STEPS = ["File", "Report and columns", "Catalogue"];

/** Nothing is created before the report of the file's lines has been seen. */
export function Page() {
  const file = useSignal<File | null>(null);
  const upload = useSignal<Upload | null>(null);
  const choice = useSignal<ColumnChoice>({});
  const creation = useSignal<Creation | null>(null);
  const restart = () => {
    upload.value = null;
    creation.value = null;
    choice.value = {};
  };
  const step = creation.value !== null ? 2 : upload.value !== null ? 1 : 0;
  return (
    <section class="page">
      <div class="page-head">
        <h1>Upload a file</h1>
        {creation.value !== null && (
          <button type="button" class="end" onClick={restart}>
            Another file
          </button>
        )}
      </div>
      <Steps names={STEPS} at={step} />
      {creation.value !== null ? (
        <Created creation={creation.value} />
      ) : (
        <>
          <FilePart
            onFile={restart}
            onRead={(from, read) => {
              file.value = from;
              choice.value = {};
              upload.value = read;
            }}
          />
          {file.value !== null && upload.value !== null && (
            <>
              <ReportPart key={file.value} file={file.value} upload={upload.value} />
              <ColumnsPart
                upload={upload.value}
                choice={choice.value}
                onChoice={(next) => {
                  choice.value = next;
                }}
              />
              <CreatePart
                file={file.value}
                upload={upload.value}
                choice={choice.value}
                onCreated={(made) => {
                  creation.value = made;
                }}
              />
            </>
          )}
          <p class="muted">
            To fetch events from an agency, <Link href="/import">import</Link> them.
          </p>
        </>
      )}
    </section>
  );
}
