import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/select.tsx";
import { useSubmit } from "../../ui/use-submit.ts";
import { reportLines } from "./line-report.ts";
import { Problems } from "./problems.tsx";
import { DELIMITERS, type Delimiter, problemsOf, readUpload, type Upload } from "./read-upload.ts";

type FilePartProps = {
  /** Another file is chosen: what was read is void. */
  readonly onFile: () => void;
  readonly onRead: (file: File, upload: Upload) => void;
};

/** The file, and its reading, which can be given up. */
export function FilePart({ onFile, onRead }: FilePartProps) {
  const id = useId();
  const file = useSignal<File | null>(null);
  const delimiter = useSignal<Delimiter>("auto");
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const { submit, error, isBusy } = useSubmit(async () => {
    if (file.value === null) return;
    abort.current = new AbortController();
    const { signal } = abort.current;
    try {
      onRead(file.value, await readUpload(file.value, delimiter.value, signal));
    } catch (reason) {
      if (!signal.aborted) throw reason;
    }
  });
  const choose = (chosen: File | null) => {
    abort.current.abort();
    file.value = chosen;
    error.value = null;
    onFile();
  };
  return (
    <section class="panel">
      <form class="list-filters" onSubmit={submit}>
        <div class="field">
          <label for={id}>File</label>
          <input
            id={id}
            type="file"
            required
            accept=".csv,.txt,.dat,.json,.geojson,.xml,.qml,.quakeml"
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0] ?? null)}
          />
        </div>
        <Select
          label="Columns are separated by"
          value={delimiter.value}
          options={DELIMITERS.map((value) => ({
            value,
            text: value === "auto" ? "found out" : value,
          }))}
          onValue={(value) => {
            delimiter.value = value;
          }}
        />
        <button type="submit" class="primary" disabled={isBusy.value || file.value === null}>
          {isBusy.value ? "Reading…" : "Read the file"}
        </button>
        {isBusy.value && (
          <button type="button" onClick={() => abort.current.abort()}>
            Give up
          </button>
        )}
      </form>
      <p class="muted">
        CSV and other delimited text, FDSN text, JSON, GeoJSON or QuakeML. Nothing is created yet.
      </p>
      {error.value !== null && (
        <>
          <ErrorNotice error={error.value} />
          <Problems
            lines={reportLines({ errors: problemsOf(error.value), warnings: [] }, new Map())}
          />
        </>
      )}
    </section>
  );
}
