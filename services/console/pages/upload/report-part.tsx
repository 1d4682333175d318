import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { count, counted } from "../../ui/format.ts";
import { saveText } from "../../ui/save-text.ts";
import { withoutMagnitude } from "./columns.ts";
import { pickLines, textOf } from "./file-lines.ts";
import { reportCsv, reportLines } from "./line-report.ts";
import { Problems } from "./problems.tsx";
import type { Upload } from "./read-upload.ts";

type ReportPartProps = { readonly file: File; readonly upload: Upload };

/** Lines shown before one asks for the others. */
const SHOWN = 10;

/** What the service has read of a file, and what not. */
export function ReportPart({ file, upload }: ReportPartProps) {
  const { rowCount, errorCount, warningCount, format } = upload;
  const rows = useRows(file, upload);
  const isWhole = useSignal(false);
  const lines = reportLines(upload, rows);
  const unknown = useMemo(() => withoutMagnitude(upload.data, upload.headers), [upload]);
  const isCut = lines.length < errorCount + warningCount;
  return (
    <section class="panel" aria-label="Report">
      <h2>Report</h2>
      <p class="sum" role="status">
        <strong>{count(rowCount)}</strong> rows of {format}, <strong>{count(errorCount)}</strong>{" "}
        unreadable, <strong>{count(warningCount)}</strong> notes
      </p>
      {unknown > 0 && (
        <p>
          {counted(unknown, "row")}
          {upload.data.length < rowCount && ` of the first ${count(upload.data.length)}`} without a
          magnitude: kept, with the magnitude unknown.
        </p>
      )}
      <Problems lines={isWhole.value ? lines : lines.slice(0, SHOWN)} />
      {lines.length > 0 && (
        <div class="row">
          {lines.length > SHOWN && !isWhole.value && (
            <button
              type="button"
              onClick={() => {
                isWhole.value = true;
              }}
            >
              Show all {count(lines.length)}
            </button>
          )}
          <button
            type="button"
            onClick={() => saveText(`${file.name} report.csv`, "text/csv", reportCsv(lines))}
          >
            Download the report
          </button>
          {isCut && (
            <span class="muted">
              The first {count(upload.errors.length)} unreadable rows and the first{" "}
              {count(upload.warnings.length)} notes.
            </span>
          )}
        </div>
      )}
    </section>
  );
}

/** The lines that the report is about; none where the file cannot be read again. */
function useRows(file: File, { errors, warnings }: Upload): ReadonlyMap<number, string> {
  const rows = useSignal<ReadonlyMap<number, string>>(new Map());
  useEffect(() => {
    let isLeft = false;
    const wanted = new Set([...errors, ...warnings].map(({ line }) => line));
    pickLines(textOf(file), wanted).then(
      (found) => {
        if (!isLeft) rows.value = found;
      },
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, [file, errors, warnings]);
  return rows.value;
}
