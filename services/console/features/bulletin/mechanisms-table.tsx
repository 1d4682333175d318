import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { type FocalMechanism, preferredMechanism } from "../../model/preferred-solutions.ts";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { decimal } from "../../ui/text/format.ts";
import { PreferCell, type SolutionActions } from "./prefer-cell.tsx";
import { lastOf, makersOf, sourceOf } from "./texts.ts";

const COLUMNS: readonly Column[] = [
  "Focal mechanism",
  "Source",
  { number: "Strike, °", title: "of the first nodal plane" },
  { number: "Dip, °" },
  { number: "Rake, °" },
  { number: "Gap, °" },
  { number: "Polarities", title: "first motions used" },
  "Moment tensor",
  "Method",
  "State",
];

type MechanismsTableProps = { readonly bulletin: Bulletin; readonly actions: SolutionActions };

/** All focal mechanisms of an event; nothing where there is none. */
export function MechanismsTable({ bulletin, actions }: MechanismsTableProps) {
  const { focalMechanism: mechanisms = [] } = bulletin;
  const preferred = preferredMechanism(bulletin);
  if (mechanisms.length === 0) return null;
  return (
    <LongTable
      label="Focal mechanisms"
      kind="compact"
      columns={COLUMNS}
      rows={mechanisms.map((mechanism, i) => (
        <MechanismRow
          key={i}
          number={i + 1}
          mechanism={mechanism}
          isPreferred={mechanism === preferred}
          actions={actions}
        />
      ))}
    />
  );
}

type MechanismRowProps = Pick<MechanismsTableProps, "actions"> & {
  readonly number: number;
  readonly mechanism: FocalMechanism;
  readonly isPreferred: boolean;
};

function MechanismRow({ number, mechanism, isPreferred, actions }: MechanismRowProps) {
  const { publicID, nodalPlanes, azimuthalGap, stationPolarityCount, momentTensor } = mechanism;
  const plane = nodalPlanes?.nodalPlane1 ?? nodalPlanes?.nodalPlane2;
  const name = `focal mechanism ${number}`;
  return (
    <tr class={isPreferred ? "preferred" : undefined}>
      <PreferCell
        text={String(number)}
        solution={{ kind: "focalMechanism", publicID, name, isPreferred }}
        actions={actions}
      />
      <td class="nowrap" title={makersOf(mechanism)}>
        {sourceOf(mechanism)}
      </td>
      <td class="number">{decimal(plane?.strike.value, 0)}</td>
      <td class="number">{decimal(plane?.dip.value, 0)}</td>
      <td class="number">{decimal(plane?.rake.value, 0)}</td>
      <td class="number">{decimal(azimuthalGap, 0)}</td>
      <td class="number">{decimal(stationPolarityCount, 0)}</td>
      <td>{momentTensor?.some(({ tensor }) => tensor) ? "yes" : "no"}</td>
      <td class="nowrap" title={mechanism.methodID}>
        {lastOf(mechanism.methodID)}
      </td>
      <td class="nowrap">{mechanism.evaluationStatus ?? mechanism.evaluationMode ?? ""}</td>
    </tr>
  );
}
