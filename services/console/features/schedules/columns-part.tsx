import { COLUMN_TARGETS } from "#contracts/seismic-event/named-columns.ts";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { type ColumnRow, LEFT_OUT } from "./schedule-form.ts";

type ColumnsPartProps = {
  readonly columns: readonly ColumnRow[];
  readonly onColumns: (columns: readonly ColumnRow[]) => void;
  readonly problemOf: (field: string) => string | undefined;
};

const TARGETS = [
  { value: LEFT_OUT, text: "left out" },
  ...COLUMN_TARGETS.map((name) => ({ value: name as string, text: name })),
];

/** What columns of a table are read as, where their names do not tell it. */
export function ColumnsPart({ columns, onColumns, problemOf }: ColumnsPartProps) {
  const change = (at: number, to: Partial<ColumnRow>) =>
    onColumns(columns.map((row, i) => (i === at ? { ...row, ...to } : row)));
  return (
    <fieldset class="stack">
      <legend>Columns whose names do not tell what they are</legend>
      {columns.map(({ name, target }, i) => (
        // A row is known by its place: its name is being typed.
        <div key={i} class="row">
          <Field
            label="Column"
            autocomplete="off"
            value={name}
            problem={problemOf(`columns.${name}`)}
            onValue={(typed) => change(i, { name: typed })}
          />
          <Select
            label="is read as"
            value={target}
            options={TARGETS}
            onValue={(chosen) => change(i, { target: chosen, unit: undefined })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Forget ${name || "the column"}`}
            onClick={() => onColumns(columns.filter((_, at) => at !== i))}
          >
            Forget
          </button>
        </div>
      ))}
      <div class="row">
        <button
          type="button"
          onClick={() => onColumns([...columns, { name: "", target: "magnitude" }])}
        >
          Name a column
        </button>
      </div>
    </fieldset>
  );
}
