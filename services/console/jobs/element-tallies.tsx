import {
  ELEMENT_KINDS,
  type ElementKind,
  type ElementTallies,
} from "#contracts/bulletin/counts.ts";
import { Table } from "../ui/table.tsx";
import { count } from "../ui/text/format.ts";

const NAMES: Readonly<Record<ElementKind, string>> = {
  event: "Events",
  origin: "Origins",
  magnitude: "Magnitudes",
  stationMagnitude: "Station magnitudes",
  amplitude: "Amplitudes",
  pick: "Picks",
  arrival: "Arrivals",
  focalMechanism: "Focal mechanisms",
  comment: "Comments",
};

/** How many elements of each kind a file or an agency's answer had, and how many were kept. */
export function ElementTalliesTable({ elements }: { readonly elements: ElementTallies }) {
  const known = ELEMENT_KINDS.flatMap((kind) => {
    const tally = elements[kind];
    return tally === undefined ? [] : [{ kind, ...tally }];
  });
  if (known.length === 0) return null;
  return (
    <Table
      label="Elements of bulletins"
      kind="compact tallies"
      columns={["Elements", { number: "Read" }, { number: "Kept" }, { number: "Dropped" }]}
    >
      {known.map(({ kind, read, kept, dropped }) => (
        <tr key={kind}>
          <th scope="row">{NAMES[kind]}</th>
          <td class="number">{count(read)}</td>
          <td class="number">{count(kept)}</td>
          <td class="number">
            {dropped > 0 ? <span class="badge warning">{count(dropped)}</span> : count(dropped)}
          </td>
        </tr>
      ))}
    </Table>
  );
}
