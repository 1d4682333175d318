import type { Chart } from "#contracts/plots/chart.ts";
import { type Fact, Facts } from "../ui/facts.tsx";
import { Table as TableView } from "../ui/table.tsx";
import { sentence } from "../ui/text/format.ts";

/** A list of an answer as a table; all columns but those of texts are numbers. */
export type Table = {
  readonly label: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** How many columns from the left are texts. */
  readonly texts: number;
};

/** What is drawn of an answer here, where the service has no plot of it. */
export type Drawing = { readonly chart: Chart; readonly table: Table | null };

type ResultProps = {
  readonly facts: readonly Fact[];
  /** Why there are no facts. */
  readonly nothing: string | null;
  readonly warnings: readonly string[];
  /** Of what, by which method, with which parameters. */
  readonly how: Parameters<typeof Facts>[0]["facts"];
};

/** Numbers, what to beware of, and how they were made. */
export function Result({ facts, nothing, warnings, how }: ResultProps) {
  const told = facts.map(({ name, text }) => ({ name, text: <strong>{text}</strong> }));
  return (
    <aside class="panel found" aria-label="Result">
      {nothing !== null && <p class="notice warning">{sentence(nothing)}</p>}
      {told.length > 0 && <Facts facts={told} />}
      {warnings.map((message) => (
        <p key={message} class="notice warning">
          {sentence(message)}
        </p>
      ))}
      <Facts facts={how} class="small" />
    </aside>
  );
}

/** Lists of an answer, beside its picture: each with its name. */
export function RowsTables({ tables }: { readonly tables: readonly Table[] }) {
  return (
    <div class="stack rows">
      {tables.flatMap(({ label, heads, rows, texts }) => [
        <h3 key={`${label} head`}>{label}</h3>,
        <TableView
          key={label}
          label={label}
          isLong
          columns={heads.map((head, i) => ({
            head,
            class: i < texts ? "nowrap" : "number nowrap",
            cell: (row: readonly string[]) => row[i],
          }))}
          rows={rows}
        />,
      ])}
    </div>
  );
}
