import { Table } from "../../ui/table.tsx";
import { count, UNKNOWN } from "../../ui/text/format.ts";
import type { ReportLine } from "./line-report.ts";

type ProblemsProps = {
  readonly lines: readonly ReportLine[];
  /** Of the table, where there are several. */
  readonly label?: string;
};

/** Lines with what is wrong or doubtful in them. */
export function Problems({ lines, label = "Lines" }: ProblemsProps) {
  if (lines.length === 0) return null;
  return (
    <Table label={label} columns={[{ number: "Line" }, "Kind", "What it is", "Row"]}>
      {lines.map(({ line, kind, message, row }, index) => (
        <tr key={index}>
          <td class="number">{count(line)}</td>
          <td>
            <span class={kind === "note" ? "badge warning" : "badge bad"}>{kind}</span>
          </td>
          <td class="words">{message}</td>
          <td>{row === null ? UNKNOWN : <span class="code">{row}</span>}</td>
        </tr>
      ))}
    </Table>
  );
}
