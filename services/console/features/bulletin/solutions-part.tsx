import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type FocalMechanism, preferredMechanism } from "../../api/located-event.ts";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { decimal, latitude, longitude } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { NamedSolution } from "./delete-solution.tsx";
import {
  difference,
  kilometres,
  lastOf,
  type MagnitudeLine,
  magnitudeLines,
  makersOf,
  type OriginLine,
  originLines,
  sourceOf,
  withMargin,
} from "./solution-lines.ts";

type SolutionsPartProps = {
  readonly bulletin: Bulletin;
  readonly actions: SolutionActions;
};

/** All solutions of an event, with what differs from the preferred ones. */
export function SolutionsPart({ bulletin, actions }: SolutionsPartProps) {
  const origins = originLines(bulletin);
  const magnitudes = magnitudeLines(bulletin);
  return (
    <section id="solutions" class="stack">
      <h2>Solutions</h2>
      {origins.length > 0 && (
        <LongTable
          label="Origins"
          kind="compact"
          columns={ORIGIN_COLUMNS}
          rows={origins.map((line) => (
            <OriginRow key={line.number} line={line} actions={actions} />
          ))}
        />
      )}
      {magnitudes.length > 0 && (
        <LongTable
          label="Magnitudes"
          kind="compact"
          columns={MAGNITUDE_COLUMNS}
          rows={magnitudes.map((line) => (
            <MagnitudeRow key={line.number} line={line} actions={actions} />
          ))}
        />
      )}
      <MechanismsTable bulletin={bulletin} actions={actions} />
    </section>
  );
}

const ORIGIN_COLUMNS: readonly Column[] = [
  "Origin",
  "Source",
  "Time, UTC",
  { number: "± s" },
  { number: "Later, s", title: "than the preferred origin" },
  { number: "Latitude" },
  { number: "Longitude" },
  { number: "Away, km", title: "from the preferred epicentre" },
  { number: "Depth, km" },
  { number: "Deeper, km", title: "than the preferred origin" },
  { number: "Gap, °" },
  { number: "Phases", title: "used" },
  { number: "RMS, s", title: "standard error of the residuals" },
  "Method",
  "State",
];

type OriginRowProps = { readonly line: OriginLine; readonly actions: SolutionActions };

function OriginRow({ line, actions }: OriginRowProps) {
  const { number, origin, isPreferred, time, later, away, deeper } = line;
  const { depth, quality, publicID } = origin;
  return (
    <tr class={isPreferred ? "preferred" : undefined}>
      <PreferCell
        text={String(number)}
        solution={{ kind: "origin", publicID, name: `origin ${number}`, isPreferred }}
        actions={actions}
      />
      <td class="nowrap" title={makersOf(origin)}>
        {sourceOf(origin)}
      </td>
      <td class="nowrap">{time ? <UtcTime at={time} length={22} /> : origin.time.value}</td>
      <td class="number">{decimal(origin.time.uncertainty, 2)}</td>
      <td class="number">{difference(later, 2)}</td>
      <td class="number nowrap">{latitude(origin.latitude.value)}</td>
      <td class="number nowrap">{longitude(origin.longitude.value)}</td>
      <td class="number">{decimal(away, 1)}</td>
      <td class="number nowrap">
        {withMargin(kilometres(depth?.value), kilometres(depth?.uncertainty), "depth")}
      </td>
      <td class="number">{difference(deeper, 1)}</td>
      <td class="number">{decimal(quality?.azimuthalGap, 0)}</td>
      <td class="number">{decimal(quality?.usedPhaseCount, 0)}</td>
      <td class="number">{decimal(quality?.standardError, 2)}</td>
      <td class="nowrap" title={origin.methodID}>
        {lastOf(origin.methodID)}
      </td>
      <td class="nowrap">{origin.evaluationStatus ?? origin.evaluationMode ?? ""}</td>
    </tr>
  );
}

const MAGNITUDE_COLUMNS: readonly Column[] = [
  "Magnitude",
  "Source",
  { number: "Value" },
  { number: "Larger", title: "than the preferred magnitude" },
  { number: "Stations" },
  { number: "Of origin" },
  "Method",
  "State",
];

type MagnitudeRowProps = { readonly line: MagnitudeLine; readonly actions: SolutionActions };

function MagnitudeRow({ line, actions }: MagnitudeRowProps) {
  const { number, magnitude, isPreferred, originNumber, larger } = line;
  const { mag, type, publicID } = magnitude;
  const name = `magnitude ${number}, ${type ?? "of no type"}`;
  return (
    <tr class={isPreferred ? "preferred" : undefined}>
      <PreferCell
        text={type ?? "M"}
        solution={{ kind: "magnitude", publicID, name, isPreferred }}
        actions={actions}
      />
      <td class="nowrap" title={makersOf(magnitude)}>
        {sourceOf(magnitude)}
      </td>
      <td class="number nowrap">{withMargin(mag.value, mag.uncertainty, "magnitude")}</td>
      <td class="number">{difference(larger, 2)}</td>
      <td class="number">{decimal(magnitude.stationCount, 0)}</td>
      <td class="number">{decimal(originNumber, 0)}</td>
      <td class="nowrap" title={magnitude.methodID}>
        {lastOf(magnitude.methodID)}
      </td>
      <td class="nowrap">{magnitude.evaluationStatus ?? magnitude.evaluationMode ?? ""}</td>
    </tr>
  );
}

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
function MechanismsTable({ bulletin, actions }: MechanismsTableProps) {
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

/** The ids of solutions that shall be the preferred ones. */
export type PreferredIds = {
  readonly originID?: string;
  readonly magnitudeID?: string;
  readonly focalMechanismID?: string;
};

/** What editors do with solutions; null for others. */
type SolutionActions = {
  readonly prefer: (ids: PreferredIds) => void;
  readonly remove: (solution: NamedSolution) => void;
} | null;

type PreferCellProps = {
  readonly text: string;
  readonly solution: NamedSolution;
  readonly actions: SolutionActions;
};

/** Which solution a row has, whether it is the preferred one, and what can be done with it. */
function PreferCell({ text, solution, actions }: PreferCellProps) {
  const { name, kind, publicID, isPreferred } = solution;
  return (
    <th scope="row" class="nowrap">
      {text}{" "}
      {isPreferred ? (
        <span class="badge good">preferred</span>
      ) : (
        actions && (
          <button
            type="button"
            class="plain link"
            aria-label={`Prefer ${name}`}
            onClick={() => actions.prefer({ [`${kind}ID`]: publicID })}
          >
            prefer
          </button>
        )
      )}{" "}
      {actions && (
        <button
          type="button"
          class="plain link"
          aria-label={`Delete ${name}`}
          onClick={() => actions.remove(solution)}
        >
          delete…
        </button>
      )}
    </th>
  );
}
