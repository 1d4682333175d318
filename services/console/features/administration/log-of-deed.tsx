import { call } from "../../api/call.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Table } from "../../ui/table.tsx";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { AuditEntry } from "./deed.ts";
import { eventName } from "./event-names.ts";

/** Entries of the log that are looked through for the steps of one deed. */
const MOST_STEPS = 50;

/** What the log itself has of a deed: the steps that its request made, in their order. */
export function LogOfDeed({ entry }: { readonly entry: AuditEntry }) {
  const { position, subject, command } = entry;
  const steps = useCall(position, async (signal) => {
    const query = { subject, order: "desc", before: position, limit: MOST_STEPS } as const;
    const { entries } = await call("GET /api/audit", { query }, { signal });
    const before = entries.filter((one) => one.command === command);
    return [...before.toReversed(), entry];
  });
  return (
    <Answered call={steps}>
      {(entries) => (
        <Table label="In the log" kind="compact" columns={["Time, UTC", "Type", "In the log"]}>
          {entries.map((one) => (
            <tr key={one.position}>
              <td class="nowrap">
                <UtcTime at={one.time} />
              </td>
              <td class="nowrap">{eventName(one.type)}</td>
              <td class="words">{one.summary}</td>
            </tr>
          ))}
        </Table>
      )}
    </Answered>
  );
}
