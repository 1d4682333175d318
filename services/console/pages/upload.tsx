import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { Link, useSearchParams } from "wouter-preact";
import type { DELIMITERS } from "#contracts/http/uploads.ts";
import type { DateOrder } from "#contracts/seismic-event/written-times.ts";
import { useSettings } from "../api/session.ts";
import { Created, type Creation } from "../features/upload/created.tsx";
import {
  fileSize,
  keptUntil,
  problemsOf,
  type Reading,
  type ReadSettings,
  readFile,
  reportLines,
  type SentBytes,
  sizeProblem,
} from "../features/upload/read-upload.ts";
import { type Entries, newEntries, Problems, Review } from "../features/upload/review.tsx";
import { ErrorNotice } from "../ui/call.tsx";
import { FileDrop } from "../ui/file-drop.tsx";
import { Select } from "../ui/form/fields.tsx";
import { optionsOf } from "../ui/form/form.tsx";
import { useDraft, useLeaveWarning } from "../ui/form/use-draft.ts";
import { Button, Frame } from "../ui/page.tsx";

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
      <Frame
        title="Upload a file"
        head={<Button class="end" onClick={() => (creation.value = null)} text="Another file" />}
      >
        <Created creation={creation.value} />
      </Frame>
    );
  }
  return (
    <Frame title="Upload a file">
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
    </Frame>
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

type FilePartProps = {
  /** What has been read, which another reading replaces. */
  readonly reading: Reading | null;
  /** Another file, or another way to read it, is chosen: what was read is void. */
  readonly onChange: () => void;
  readonly onRead: (reading: Reading) => void;
};

/** The content decides which it is, whatever the file's name. */
const KINDS =
  "CSV or other delimited text, FDSN text, JSON, GeoJSON, QuakeML, SeisComP XML, ISF, NDK, NonLinLoc, hypoDD or Nordic, whatever its name.";

const NOTHING_SENT: SentBytes = { sent: 0, total: 0 };

/** The file, which is read as soon as it is chosen; another choice ends the reading, and it can be cancelled. */
function FilePart({ reading, onChange, onRead }: FilePartProps) {
  const file = useSignal<File | null>(null);
  const settings = useSignal<ReadSettings>({ delimiter: "", dateOrder: "", encoding: "" });
  const bytes = useSignal<SentBytes>(NOTHING_SENT);
  const error = useSignal<unknown>(null);
  /** The reading that goes on; null where none does. */
  const running = useSignal<AbortController | null>(null);
  const cancel = () => {
    running.value?.abort();
    running.value = null;
  };
  useEffect(() => cancel, []);
  const most = useSettings()?.limits.maxUploadBytes;
  const problemOf = (chosen: File | null) =>
    chosen === null ? undefined : sizeProblem(chosen.size, most);
  const read = async () => {
    cancel();
    error.value = null;
    bytes.value = NOTHING_SENT;
    onChange();
    if (file.value === null || problemOf(file.value) !== undefined) return;
    const controller = new AbortController();
    running.value = controller;
    const { signal } = controller;
    const onProgress = (sent: SentBytes) => {
      if (!signal.aborted) bytes.value = sent;
    };
    try {
      onRead(await readFile(file.value, { settings: settings.value, signal, onProgress }));
    } catch (reason) {
      if (!signal.aborted) error.value = reason;
    } finally {
      if (running.value === controller) running.value = null;
    }
  };
  const choose = (chosen: File) => {
    file.value = chosen;
    void read();
  };
  const isBusy = running.value !== null;
  useLeaveWarning(isBusy, "The file is still being sent. Leave this page all the same?");

  const name = file.value?.name ?? reading?.fileName;
  const size = fileSize(file.value?.size ?? reading?.fileBytes ?? 0);
  return (
    <section class="stack" aria-label="File">
      <FileDrop
        chosen={name === undefined ? null : { name, size }}
        hint={KINDS}
        problem={problemOf(file.value)}
        onFile={choose}
      />
      <details>
        <summary>How it is read</summary>
        <div class="field-grid wide">
          {FIELDS.map(({ name, label, texts }) => (
            <Select
              key={name}
              label={label}
              value={settings.value[name]}
              options={optionsOf<string>({ "": "automatic", ...texts })}
              onValue={(value) => {
                settings.value = { ...settings.value, [name]: value };
                if (file.value !== null) void read();
              }}
            />
          ))}
        </div>
        {reading !== null && file.value === null && (
          <p class="hint">Choose the file again to have it read in another way.</p>
        )}
      </details>
      {isBusy && <SendProgress bytes={bytes.value} onCancel={cancel} />}
      <ErrorNotice error={error.value} />
      <Problems lines={reportLines({ errors: problemsOf(error.value), warnings: [] }, new Map())} />
    </section>
  );
}

/** How much of a file has been sent; after that the service reads it, and does not tell how far. */
function SendProgress(props: { readonly bytes: SentBytes; readonly onCancel: () => void }) {
  const { sent, total } = props.bytes;
  const isSent = total > 0 && sent >= total;
  return (
    <div class="stack">
      <progress
        aria-label={isSent ? "Reading" : "Sent"}
        max={Math.max(total, 1)}
        {...(!isSent && { value: sent })}
      />
      <div class="row">
        <span>
          {isSent
            ? "The whole file has been sent. The service is reading it…"
            : `Sending: ${fileSize(sent)}${total > 0 ? ` of ${fileSize(total)}` : ""}`}
        </span>
        <Button onClick={props.onCancel} text="Cancel" />
      </div>
    </div>
  );
}

const SEPARATORS: Readonly<Record<Exclude<keyof typeof DELIMITERS, "auto">, string>> = {
  comma: "comma",
  tab: "tab",
  semicolon: "semicolon",
  pipe: "pipe",
  space: "space",
};
const ORDERS: Readonly<Record<DateOrder, string>> = {
  dmy: "day, month, year",
  mdy: "month, day, year",
  ymd: "year, month, day",
};
/** Those in which catalogues are found, by their labels. */
const ENCODINGS = {
  "utf-8": "UTF-8",
  "windows-1252": "Western European (Windows-1252)",
  "windows-1250": "Central European (Windows-1250)",
  "windows-1251": "Cyrillic (Windows-1251)",
  "windows-1253": "Greek (Windows-1253)",
  "windows-1254": "Turkish (Windows-1254)",
  gb18030: "Chinese (GB 18030)",
  big5: "Chinese (Big5)",
  shift_jis: "Japanese (Shift JIS)",
  "euc-jp": "Japanese (EUC-JP)",
  "euc-kr": "Korean (EUC-KR)",
  "utf-16le": "UTF-16, little-endian",
  "utf-16be": "UTF-16, big-endian",
};

/** What the service is told of a file that does not say it itself. */
const FIELDS = [
  { name: "delimiter", label: "Columns are separated by", texts: SEPARATORS },
  { name: "dateOrder", label: "Dates are written", texts: ORDERS },
  { name: "encoding", label: "Letters are encoded as", texts: ENCODINGS },
] as const;
