type Column =
  | string
  /** Of numbers, which stand to the right. */
  | { readonly number: string; readonly title?: string }
  /** Needs no words for those who see it. */
  | { readonly hidden: string };

/** The names of a table's columns; false ones are left out. */
export function TableHead({ columns }: { readonly columns: readonly (Column | false)[] }) {
  return (
    <thead>
      <tr>{columns.map((column) => column && headOf(column))}</tr>
    </thead>
  );
}

function headOf(column: Column) {
  if (typeof column === "string") {
    return (
      <th key={column} scope="col">
        {column}
      </th>
    );
  }
  if ("number" in column) {
    return (
      <th key={column.number} scope="col" class="number" title={column.title}>
        {column.number}
      </th>
    );
  }
  return (
    <th key={column.hidden} scope="col">
      <span class="visually-hidden">{column.hidden}</span>
    </th>
  );
}
