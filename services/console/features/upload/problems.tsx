import { Table } from "../../ui/table.tsx";
import { count, UNKNOWN } from "../../ui/text/format.ts";
import type { ReportLine } from "./read-upload.ts";

type ProblemsProps = {
  readonly lines: readonly ReportLine[];
  /** Of the table, where there are several. */
  readonly label?: string;
  /** What is said of all these lines, and stands above them; absent where each has its own. */
  readonly said?: string;
};

/** Lines with what is wrong or doubtful in them. */
export function Problems({ lines, label = "Lines", said }: ProblemsProps) {
  if (lines.length === 0) return null;
  const isSaid = lines.every(({ message }) => message === said);
  return (
    <Table
      label={label}
      rows={lines}
      columns={[
        ["Line", ({ line }) => count(line), "number"],
        !isSaid && ["What it is", ({ message }: ReportLine) => message, "words"],
        ["Row", ({ row }) => (row === null ? UNKNOWN : <span class="code">{row}</span>)],
      ]}
    />
  );
}
