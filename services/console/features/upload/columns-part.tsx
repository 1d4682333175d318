import { COLUMN_TARGETS } from "#contracts/seismic-event/named-columns.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Select } from "../../ui/form/select.tsx";
import { problemOf } from "../../ui/form/use-submit.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { count, UNKNOWN } from "../../ui/text/format.ts";
import { type ColumnChoice, meaningOfColumn, missingColumns } from "./columns.ts";
import { MagnitudeNote } from "./magnitude-note.tsx";
import type { Upload } from "./read-upload.ts";

type ColumnsPartProps = {
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  /** Why the service did not take the choice; null where it has not been asked. */
  readonly refusal: unknown;
  readonly onChoice: (choice: ColumnChoice) => void;
};

type ColumnsStepProps = ColumnsPartProps & {
  readonly onBack: () => void;
  readonly onDone: () => void;
};

const FIRST_ROWS = 5;
const BY_NAME = "";
const LEFT_OUT = "-";

/** What each column is read as, above the first rows. */
export function ColumnsPart({ onBack, onDone, ...part }: ColumnsStepProps) {
  const { upload, choice, refusal } = part;
  const { headers, rowCount } = upload;
  const missing = missingColumns(headers, choice);
  return (
    <>
      {missing.length > 0 && (
        <div class="notice warning" role="status">
          <span>No column is read as {missing.join(" or as ")}: choose which it is.</span>
        </div>
      )}
      <ScrollArea label="Columns and first rows">
        <table class="first-rows">
          <ColumnHeads {...part} />
          <FirstRows upload={upload} />
        </table>
      </ScrollArea>
      <p class="muted">
        The first {count(Math.min(FIRST_ROWS, rowCount))} of {count(rowCount)} rows. Columns that
        the service has no use for are kept with each event, as they are.
      </p>
      <MagnitudeNote upload={upload} choice={choice} />
      <ErrorNotice error={refusal} />
      <div class="row">
        <button type="button" class="primary" disabled={missing.length > 0} onClick={onDone}>
          Go on to the catalogue
        </button>
        <button type="button" onClick={onBack}>
          Back to the report
        </button>
      </div>
    </>
  );
}

/** The columns' names, and what each is read as. */
function ColumnHeads({ upload: { headers }, choice, refusal, onChoice }: ColumnsPartProps) {
  const choose = (header: string, value: string) => {
    const { [header]: _before, ...others } = choice;
    if (value === BY_NAME) onChoice(others);
    else
      onChoice({ ...others, [header]: COLUMN_TARGETS.find((target) => target === value) ?? null });
  };
  return (
    <thead>
      <tr>
        {headers.map((header) => (
          <th key={header} scope="col">
            {header}
          </th>
        ))}
      </tr>
      <tr>
        {headers.map((header) => (
          <td key={header}>
            <Select
              label={`${header} is read as`}
              hasHiddenLabel
              value={chosenFor(choice, header)}
              options={optionsOf(header)}
              problem={problemOf(refusal, `columns.${header}`)}
              onValue={(value) => choose(header, value)}
            />
          </td>
        ))}
      </tr>
    </thead>
  );
}

function FirstRows({ upload: { headers, data } }: Pick<ColumnsPartProps, "upload">) {
  return (
    <tbody>
      {data.slice(0, FIRST_ROWS).map((row, index) => (
        <tr key={index}>
          {headers.map((header) => (
            <td key={header} class={typeof row[header] === "number" ? "number" : undefined}>
              {textOf(row[header])}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function chosenFor(choice: ColumnChoice, header: string): string {
  if (!Object.hasOwn(choice, header)) return BY_NAME;
  return choice[header] ?? LEFT_OUT;
}

function optionsOf(header: string): { readonly value: string; readonly text: string }[] {
  return [
    { value: BY_NAME, text: meaningOfColumn(header) ?? "kept as it is" },
    { value: LEFT_OUT, text: "left out" },
    ...COLUMN_TARGETS.map((name) => ({ value: name, text: name })),
  ];
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return UNKNOWN;
  if (typeof value === "number") return String(value).replace(/^-/, "\u2212");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
