import { useSignal } from "@preact/signals";
import type { Order } from "../../ui/sort-button.tsx";
import { Table } from "../../ui/table.tsx";
import { Part } from "./part.tsx";

const EVENTS = [
  { id: "sample-0461", time: "2022-05-17 02:41:09", magnitude: 6.1, status: "final" },
  { id: "sample-0462", time: "2022-05-17 02:44:51", magnitude: 3.4, status: "preliminary" },
  { id: "sample-0463", time: "2022-05-17 02:58:30", magnitude: 4, status: "rejected" },
];

const BADGES: Readonly<Record<string, string>> = {
  final: "badge good",
  preliminary: "badge warning",
  rejected: "badge bad",
};

/** A table as wide as the page, one with narrow rows, and a list of facts. */
export function Tables() {
  return (
    <>
      <Events kind="" />
      <Events kind="compact long" />
      <Part title="Facts">
        <dl class="facts">
          <dt>Origin time</dt>
          <dd>2022-05-17 02:41:09.380 UTC</dd>
          <dt>Depth</dt>
          <dd>9.5 ± 0.6 km</dd>
        </dl>
      </Part>
    </>
  );
}

function Events({ kind }: { readonly kind: string }) {
  const order = useSignal<Order>("desc");
  const sign = order.value === "desc" ? -1 : 1;
  const rows = EVENTS.toSorted((a, b) => sign * (a.magnitude - b.magnitude));
  return (
    <Table
      label={`Events ${kind}`}
      kind={kind}
      columns={[
        "Event",
        "Origin time, UTC",
        {
          sorted: "Magnitude",
          isNumber: true,
          order: order.value,
          onSort: () => (order.value = order.value === "desc" ? "asc" : "desc"),
        },
        "Status",
      ]}
    >
      {rows.map(({ id, time, magnitude, status }) => (
        <tr key={id} class={id === "sample-0463" ? "chosen" : undefined}>
          <td>
            <a href="#events">{id}</a>
          </td>
          <td class="nowrap">{time}</td>
          <td class="number">{magnitude.toFixed(1)}</td>
          <td>
            <span class={BADGES[status]}>{status}</span>
          </td>
        </tr>
      ))}
    </Table>
  );
}
