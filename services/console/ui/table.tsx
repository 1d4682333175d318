import { useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment, type HTMLAttributes, h, type Key } from "preact";
import { Icon } from "./icon.tsx";
import { Button, Empty } from "./page.tsx";
import { count } from "./text/format.ts";

/** A column: its head, and its cell in each row. */
export type ColumnOf<T> = {
  readonly head: string;
  readonly cell: (row: T, index: number) => ComponentChildren;
  /** Of its cells (tables.css): `number`, whose head stands to the right too, `nowrap`, `words`. */
  readonly class?: string;
  /** Further attributes of its cells. */
  readonly attributes?: (row: T) => Readonly<Record<string, string | undefined>>;
  /** Its cells name their rows. */
  readonly isRowHead?: boolean;
  /** The head needs no words for those who see it. */
  readonly isHidden?: boolean;
  /** Of its head, on hovering. */
  readonly title?: string;
  /** Orders the rows; `order` is null while another column does. */
  readonly sort?: { readonly order: Order | null; readonly onSort: () => void };
};

/** A column without more: its head and its cells; the class of these; a head of rows, or one that is only read out. */
type ShortColumn<T> = readonly [
  head: string,
  cell: ColumnOf<T>["cell"],
  kind?: string,
  as?: "row" | "hidden",
];
export type Columns<T> = readonly (ColumnOf<T> | ShortColumn<T> | false)[];

function columnOf<T>(column: ColumnOf<T> | ShortColumn<T>): ColumnOf<T> {
  if ("head" in column) return column;
  const [head, cell, kind = "", as] = column;
  return { head, cell, class: kind, isRowHead: as === "row", isHidden: as === "hidden" };
}

/** What a button says, of what it is read out too, empty for nothing, and what it does once that has been asked. */
export type RowAction = readonly [text: string, of: string, act: () => void];
/** What can be done with a row, or why nothing can. */
type RowActions = readonly (RowAction | false)[] | string;

function actionsColumn<T>(actionsOf: (row: T) => RowActions): ColumnOf<T> {
  const cell = (row: T) => {
    const actions = actionsOf(row);
    if (typeof actions === "string") return <span class="muted">{actions}</span>;
    return actions
      .filter((action) => action !== false)
      .map(([text, of, act]) => (
        <Fragment key={text}>
          <Button
            aria-label={of === "" ? undefined : `${text} ${of}…`}
            onClick={act}
            text={`${text}…`}
          />{" "}
        </Fragment>
      ));
  };
  return { head: "Actions", cell, class: "number", isHidden: true };
}

type TableProps<T> = {
  /** Of the part that scrolls sideways; without, the table does not. */
  readonly label?: string;
  /** Its style (tables.css). `folds`: on a telephone each row is two lines or more, nothing is scrolled sideways. */
  readonly kind?: string;
  /** False ones are left out. */
  readonly columns: Columns<T>;
  readonly rows: readonly T[];
  /** What tells a row from the others; else its `id` or, without one, its place. */
  readonly keyOf?: (row: T) => Key;
  readonly rowAttributes?: (row: T, index: number) => HTMLAttributes<HTMLTableRowElement>;
  /** What stands in place of all cells of a row; null for these. */
  readonly across?: (row: T) => ComponentChildren;
  /** What stands below a row, as wide as the table, in a row of this class; null for nothing. */
  readonly below?: (row: T) => ComponentChildren;
  readonly belowClass?: string;
  /** What can be done with a row, by a button each at its end. */
  readonly actions?: ((row: T) => RowActions) | false;
  /** What is said where there is no row. */
  readonly empty?: Parameters<typeof Empty>[0];
  /** Shows some rows at a time. */
  readonly isLong?: boolean;
};

/** Rows of a long table at first. */
const SHOWN = 20;

/** Rows under the names of their columns. */
export function Table<T>(props: TableProps<T>) {
  const { label, kind, rows, keyOf = keyOfRow, rowAttributes, across, below, belowClass } = props;
  const most = useSignal(SHOWN);
  if (rows.length === 0 && props.empty) return <Empty {...props.empty} />;
  const columns = [
    ...props.columns.filter((column) => column !== false).map(columnOf),
    ...(props.actions ? [actionsColumn(props.actions)] : []),
  ];
  const isCut = props.isLong === true && rows.length > most.value;
  // The columns' names for the styles, which put them into the rows where these are folded.
  const names = columns.map(({ head, isHidden }, i) => [
    `--head-${i + 1}`,
    JSON.stringify(isHidden ? " " : `${head} `),
  ]);
  const table = (
    <table class={kind} style={Object.fromEntries(names)}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.head} {...column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {(isCut ? rows.slice(0, most.value) : rows).map((row, index) => {
          const whole = across?.(row) ?? null;
          const further = below?.(row) ?? null;
          return (
            <Fragment key={keyOf(row, index)}>
              <tr {...rowAttributes?.(row, index)}>
                {whole === null ? (
                  columns.map(({ head, cell, class: kindOfCell, isRowHead, attributes }) =>
                    h(
                      isRowHead ? "th" : "td",
                      {
                        key: head,
                        class: kindOfCell || undefined,
                        ...(isRowHead && { scope: "row" }),
                        ...attributes?.(row),
                      },
                      cell(row, index),
                    ),
                  )
                ) : (
                  <td colSpan={columns.length}>{whole}</td>
                )}
              </tr>
              {further !== null && (
                <tr class={belowClass}>
                  <td colSpan={columns.length}>{further}</td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
  return (
    <>
      {label === undefined ? (
        table
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll.
        <section class="scroll-x" aria-label={label} tabIndex={0}>
          {table}
        </section>
      )}
      {isCut && (
        <div class="row">
          <Button onClick={() => (most.value *= 5)} text="Show more" />
          <span class="muted">
            {count(most.value)} of {count(rows.length)} rows
          </span>
        </div>
      )}
    </>
  );
}

function keyOfRow(row: unknown, index: number): Key {
  return typeof row === "object" && row !== null && "id" in row ? String(row.id) : index;
}

function Head<T>({ head, title, class: kind, isHidden, sort }: Omit<ColumnOf<T>, "cell">) {
  const isNumber = kind?.split(" ").includes("number") && !isHidden;
  if (sort) {
    return (
      <th
        scope="col"
        class={isNumber ? "sortable number" : "sortable"}
        aria-sort={ariaSort(sort.order)}
      >
        <SortButton text={head} {...sort} />
      </th>
    );
  }
  return (
    <th scope="col" class={isNumber ? "number" : undefined} title={title}>
      {isHidden ? <span class="visually-hidden">{head}</span> : head}
    </th>
  );
}

export type Order = "asc" | "desc";

type SortButtonProps = {
  readonly text: string;
  /** Null where another column has the order. */
  readonly order: Order | null;
  readonly onSort: () => void;
};

/** The head of a column that orders the rows; it fills its cell. */
export function SortButton({ text, order, onSort }: SortButtonProps) {
  return (
    <button type="button" class="plain" onClick={onSort}>
      {text}
      {order !== null && <Icon name={order === "asc" ? "up" : "down"} />}
    </button>
  );
}

/** The order as assistive technology is told it. */
export function ariaSort(order: Order | null): "ascending" | "descending" | "none" {
  return order === "asc" ? "ascending" : order === "desc" ? "descending" : "none";
}
