import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { SentBytes } from "../../api/send-form.ts";
import { useSettings } from "../../api/settings.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { useLeaveWarning } from "../../ui/form/use-leave-warning.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { sizeProblem } from "./file-size.ts";
import { reportLines } from "./line-report.ts";
import { Problems } from "./problems.tsx";
import { ReadSettingsFields } from "./read-settings.tsx";
import { problemsOf, type Reading, type ReadSettings, readFile } from "./read-upload.ts";
import { SendProgress } from "./send-progress.tsx";

type FilePartProps = {
  /** Something has been read, which another reading replaces. */
  readonly isRead: boolean;
  /** Another file, or another way to read it, is chosen: what was read is void. */
  readonly onChange: () => void;
  readonly onBusy: (isBusy: boolean) => void;
  readonly onRead: (reading: Reading) => void;
};

/** The content decides which it is, whatever the file's name. */
const KINDS =
  "CSV or other delimited text, FDSN text, JSON, GeoJSON, QuakeML, SeisComP XML, ISF, NDK, NonLinLoc, hypoDD or Nordic, whatever its name.";

const NOTHING_SENT: SentBytes = { sent: 0, total: 0 };

/** The file, and its reading, which can be cancelled. */
export function FilePart(props: FilePartProps) {
  const { isRead, onChange } = props;
  const below = useId();
  const { file, settings, bytes, abort, problem, submit, error, isBusy } = useReading(props);
  useLeaveWarning(isBusy.value, "The file is still being sent. Leave this page all the same?");
  const change = () => {
    abort.current.abort();
    error.value = null;
    onChange();
  };
  return (
    <section class="panel">
      <form class="list-filters" onSubmit={submit}>
        <FileField
          isWrong={problem !== undefined}
          below={below}
          onFile={(chosen) => {
            file.value = chosen;
            change();
          }}
        />
        <ReadSettingsFields settings={settings} onChange={change} />
        <button
          type="submit"
          class={isRead ? undefined : "primary"}
          disabled={isBusy.value || file.value === null || problem !== undefined}
        >
          {isRead ? "Read it again" : "Read the file"}
        </button>
      </form>
      {/* Below the whole row, whose fields stay in line. */}
      <p id={below} class={problem ? "problem" : "hint"}>
        {problem ?? KINDS}
      </p>
      {isBusy.value && <SendProgress bytes={bytes.value} onCancel={() => abort.current.abort()} />}
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

/** What is chosen, and its reading, which another choice ends. */
function useReading({ onChange, onBusy, onRead }: FilePartProps) {
  const file = useSignal<File | null>(null);
  const settings = useSignal<ReadSettings>({ delimiter: "", dateOrder: "", encoding: "" });
  const bytes = useSignal<SentBytes>(NOTHING_SENT);
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const problem = useFileProblem(file.value);
  const { submit, error, isBusy } = useSubmit(async () => {
    if (file.value === null || problem !== undefined) return;
    abort.current = new AbortController();
    const { signal } = abort.current;
    const onProgress = (sent: SentBytes) => {
      bytes.value = sent;
    };
    onProgress(NOTHING_SENT);
    onChange();
    onBusy(true);
    try {
      onRead(await readFile(file.value, { settings: settings.value, signal, onProgress }));
    } catch (reason) {
      if (!signal.aborted) throw reason;
    } finally {
      onBusy(false);
    }
  });
  return { file, settings, bytes, abort, problem, submit, error, isBusy };
}

function useFileProblem(file: File | null): string | undefined {
  const service = useSettings();
  return file === null ? undefined : sizeProblem(file.size, service?.limits.maxUploadBytes);
}

type FileFieldProps = {
  readonly isWrong: boolean;
  /** Id of what is said about it. */
  readonly below: string;
  readonly onFile: (file: File | null) => void;
};

function FileField({ isWrong, below, onFile }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>File</label>
      <input
        id={id}
        type="file"
        required
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={below}
        onChange={({ currentTarget }) => onFile(currentTarget.files?.[0] ?? null)}
      />
    </div>
  );
}
