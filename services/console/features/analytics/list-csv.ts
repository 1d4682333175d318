import { csvOf } from "../../ui/text/csv.ts";

type Row = Readonly<Record<string, unknown>>;
type Lists = {
  readonly bins?: readonly Row[] | undefined;
  readonly series?: readonly Row[] | undefined;
};

/** A list of an answer as CSV, without the lists in its rows; null where it is empty. */
export function csvOfList(answer: Lists, list: keyof Lists): string | null {
  const rows = answer[list] ?? [];
  if (rows.length === 0) return null;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (name) => !rows.some((row) => Array.isArray(row[name])),
  );
  return csvOf(
    names,
    rows.map((row) => names.map((name) => row[name])),
  );
}
