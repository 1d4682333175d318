import { COLUMN_TARGETS } from "#contracts/seismic-event/columns.ts";
import { ErrorNotice } from "../../ui/call/notices.tsx";
import { Select } from "../../ui/form/inputs.tsx";
import { problemOf } from "../../ui/form/submit.tsx";
import { Table } from "../../ui/table.tsx";
import { counted, UNKNOWN } from "../../ui/text/format.ts";
import { type ColumnChoice, meaningOfColumn, missingColumns, withoutMagnitude } from "./columns.ts";
import type { Upload } from "./read-upload.ts";

type ColumnsPartProps = {
  readonly upload: Upload;
  readonly choice: ColumnChoice;
  /** Why the service did not take the choice; null where it has not been asked. */
  readonly refusal: unknown;
  readonly onChoice: (choice: ColumnChoice) => void;
};

const BY_NAME = "";
const LEFT_OUT = "-";
/** Values shown of a column. */
const SHOWN = 3;

/** What each column is read as, beside its first values. */
export function ColumnsPart({ upload, choice, refusal, onChoice }: ColumnsPartProps) {
  const { headers } = upload;
  const missing = missingColumns(headers, choice);
  const choose = (header: string, value: string) => {
    const { [header]: _before, ...others } = choice;
    if (value === BY_NAME) onChoice(others);
    else
      onChoice({ ...others, [header]: COLUMN_TARGETS.find((target) => target === value) ?? null });
  };
  return (
    <section class="panel" aria-labelledby="columns">
      <h2 id="columns">Columns</h2>
      {missing.length > 0 && (
        <div class="notice warning" role="status">
          <span>No column is read as {missing.join(" or as ")}: choose which it is.</span>
        </div>
      )}
      <Table
        label="Columns and first values"
        kind="column-rows"
        columns={["Column", "First values", "Read as"]}
      >
        {headers.map((header) => (
          <tr key={header}>
            <th scope="row">{header}</th>
            <td>
              <span class="code">{firstValues(upload, header)}</span>
            </td>
            <td>
              <Select
                label={`${header} is read as`}
                hasHiddenLabel
                value={chosenFor(choice, header)}
                options={optionsOf(header)}
                problem={problemOf(refusal, `columns.${header}`)}
                onValue={(value) => choose(header, value)}
              />
            </td>
          </tr>
        ))}
      </Table>
      <MagnitudeNote upload={upload} choice={choice} />
      <p class="muted">
        Columns that the service has no use for are kept with each event, as they are.
      </p>
      <ErrorNotice error={refusal} />
    </section>
  );
}

function firstValues({ data }: Pick<Upload, "data">, header: string): string {
  const values = data.map((row) => row[header]).filter((value) => value !== null && value !== "");
  return values.length === 0 ? UNKNOWN : values.slice(0, SHOWN).map(textOf).join(" · ");
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

type MagnitudeNoteProps = { readonly upload: Upload; readonly choice: ColumnChoice };

/** How many rows have no magnitude, as the columns are read; nothing where all have one. */
function MagnitudeNote({ upload, choice }: MagnitudeNoteProps) {
  const { rows, isExact } = withoutMagnitude(upload, choice);
  if (rows === 0) return null;
  if (isExact && rows === upload.rowCount) {
    return (
      <p>
        No row has a magnitude: {rows === 1 ? "it is" : "all are"} kept, with the magnitude unknown.
      </p>
    );
  }
  return (
    <p>
      {isExact ? "" : "Up to "}
      {counted(rows, "row")} {rows === 1 ? "has" : "have"} no magnitude:{" "}
      {rows === 1 ? "it is" : "they are"} kept, with the magnitude unknown.
    </p>
  );
}
