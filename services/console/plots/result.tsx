import { Fragment } from "preact";
import type { Chart } from "#contracts/plots/chart.ts";
import { LongTable } from "../ui/long-table.tsx";
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

export type Fact = { readonly name: string; readonly text: string };

type ResultProps = {
  readonly facts: readonly Fact[];
  /** Why there are no facts. */
  readonly nothing: string | null;
  readonly warnings: readonly string[];
  /** Of what, by which method, with which parameters. */
  readonly how: readonly Fact[];
};

/** Numbers, what to beware of, and how they were made. */
export function Result({ facts, nothing, warnings, how }: ResultProps) {
  return (
    <aside class="panel found" aria-label="Result">
      {nothing !== null && <p class="notice warning">{sentence(nothing)}</p>}
      {facts.length > 0 && (
        <dl class="facts">
          {facts.map(({ name, text }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <strong>{text}</strong>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      {warnings.map((message) => (
        <p key={message} class="notice warning">
          {sentence(message)}
        </p>
      ))}
      <dl class="facts small">
        {how.map(({ name, text }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </aside>
  );
}

/** Lists of an answer, beside its picture: each with its name. */
export function RowsTables({ tables }: { readonly tables: readonly Table[] }) {
  return (
    <div class="stack rows">
      {tables.map((table) => (
        <RowsTable key={table.label} table={table} />
      ))}
    </div>
  );
}

function RowsTable({ table: { label, heads, rows, texts } }: { readonly table: Table }) {
  return (
    <>
      <h3>{label}</h3>
      <LongTable
        label={label}
        columns={heads.map((head, column) => (column < texts ? head : { number: head }))}
        rows={rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, column) => (
              <td key={heads[column]} class={column < texts ? "nowrap" : "number nowrap"}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      />
    </>
  );
}
