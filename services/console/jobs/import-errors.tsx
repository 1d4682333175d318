import type { ImportResult } from "#contracts/http/imports.ts";
import { Table } from "../ui/table.tsx";
import { count, UNKNOWN } from "../ui/text/format.ts";

const SHOWN = 100;

type ImportErrorsProps = { readonly errors: ImportResult["errors"] };

/** Events that could not be taken, and where in the agency's answer they stand. */
export function ImportErrors({ errors }: ImportErrorsProps) {
  if (errors.length === 0) return null;
  return (
    <>
      <Table label="Errors" columns={["Event", "Error", "Where"]}>
        {errors.slice(0, SHOWN).map(({ message, source_id, where }, index) => (
          <tr key={index}>
            <td class="nowrap">{source_id ?? UNKNOWN}</td>
            <td class="words">{message}</td>
            <td>{where ?? UNKNOWN}</td>
          </tr>
        ))}
      </Table>
      {errors.length > SHOWN && (
        <p class="muted">
          The first {SHOWN} of {count(errors.length)}.
        </p>
      )}
    </>
  );
}
