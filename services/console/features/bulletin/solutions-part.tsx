import { useRef } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { call } from "../../api/call.ts";
import { preferredMechanism } from "../../api/located-event.ts";
import { ask } from "../../ui/form/ask.ts";
import { unlessChanged } from "../../ui/form/attempts.ts";
import { REASON } from "../../ui/form/form.tsx";
import { Button, Panel } from "../../ui/page.tsx";
import { type ColumnOf, type Columns, Table } from "../../ui/table.tsx";
import { count, counted, decimal, latitude, longitude } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { BulletinProps } from "./read-bulletin.ts";
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

/** What editors do with solutions; null for others. */
type SolutionActions = {
  readonly prefer: (ids: PreferredIds) => void;
  readonly remove: (solution: NamedSolution) => void;
} | null;

/** The ids of solutions that shall be the preferred ones. */
export type PreferredIds = { readonly [K in NamedSolution["kind"] as `${K}ID`]?: string };

type SolutionsPartProps = { readonly bulletin: Bulletin; readonly actions: SolutionActions };

/** All solutions of an event, with what differs from the preferred ones. */
export function SolutionsPart({ bulletin, actions }: SolutionsPartProps) {
  const preferred = preferredMechanism(bulletin);
  const mechanisms = (bulletin.focalMechanism ?? []).map((mechanism, i) => {
    return { number: i + 1, mechanism, isPreferred: mechanism === preferred };
  });
  return (
    <Panel id="solutions" class="stack" title="Solutions">
      <SolutionsTable of={ORIGIN} lines={originLines(bulletin)} actions={actions} />
      <SolutionsTable of={MAGNITUDE} lines={magnitudeLines(bulletin)} actions={actions} />
      <SolutionsTable of={MECHANISM} lines={mechanisms} actions={actions} />
    </Panel>
  );
}

type Line = { readonly number: number; readonly isPreferred: boolean };
type Solution = Parameters<typeof sourceOf>[0] & {
  readonly publicID: string;
  readonly methodID?: string;
  readonly evaluationStatus?: string;
  readonly evaluationMode?: string;
};

/** What a kind of solutions has beside what all have. */
type Kind<L> = {
  readonly kind: NamedSolution["kind"];
  /** What one of them is called, and all. */
  readonly names: readonly [one: string, all: string];
  readonly solutionOf: (line: L) => Solution;
  /** What stands in its first cell, and what it is called. */
  readonly textOf: (line: L) => string;
  readonly nameOf: (line: L) => string;
  readonly columns: Columns<L>;
};

type SolutionsTableProps<L> = {
  readonly of: Kind<L>;
  readonly lines: readonly L[];
  readonly actions: SolutionActions;
};

/** Which they are, whose, what a kind has of its own, by which method and how far reviewed; nothing where there is none. */
function SolutionsTable<L extends Line>({ of, lines, actions }: SolutionsTableProps<L>) {
  const { kind, names, solutionOf, textOf, nameOf, columns } = of;
  const [head, label] = names;
  if (lines.length === 0) return null;
  return (
    <Table
      label={label}
      kind="compact"
      isLong
      columns={[
        [
          head,
          (line) => {
            const { publicID } = solutionOf(line);
            const { isPreferred } = line;
            const solution = { kind, publicID, name: nameOf(line), isPreferred };
            return whichCell(textOf(line), solution, actions);
          },
          "nowrap",
          "row",
        ],
        {
          ...{ head: "Source", class: "nowrap" },
          cell: (line) => sourceOf(solutionOf(line)),
          attributes: (line) => ({ title: makersOf(solutionOf(line)) }),
        },
        ...columns,
        {
          ...{ head: "Method", class: "nowrap" },
          cell: (line) => lastOf(solutionOf(line).methodID),
          attributes: (line) => ({ title: solutionOf(line).methodID }),
        },
        [
          "State",
          (line) => solutionOf(line).evaluationStatus ?? solutionOf(line).evaluationMode ?? "",
          "nowrap",
        ],
      ]}
      rows={lines}
      keyOf={({ number }) => number}
      rowAttributes={({ isPreferred }) => ({ class: isPreferred ? "preferred" : undefined })}
    />
  );
}

/** A column of numbers. */
export function numbers<L>(head: string, cell: (line: L) => string, title = ""): ColumnOf<L> {
  return { head, class: "number nowrap", cell, title };
}

const ORIGIN: Kind<OriginLine> = {
  kind: "origin",
  names: ["Origin", "Origins"],
  solutionOf: ({ origin }) => origin,
  textOf: ({ number }) => String(number),
  nameOf: ({ number }) => `origin ${number}`,
  columns: [
    [
      "Time, UTC",
      ({ time, origin }) => (time ? <UtcTime at={time} length={22} /> : origin.time.value),
      "nowrap",
    ],
    numbers("± s", ({ origin }) => decimal(origin.time.uncertainty, 2)),
    numbers("Later, s", ({ later }) => difference(later, 2), "than the preferred origin"),
    numbers("Latitude", ({ origin }) => latitude(origin.latitude.value)),
    numbers("Longitude", ({ origin }) => longitude(origin.longitude.value)),
    numbers("Away, km", ({ away }) => decimal(away, 1), "from the preferred epicentre"),
    numbers("Depth, km", ({ origin: { depth } }) =>
      withMargin(kilometres(depth?.value), kilometres(depth?.uncertainty), "depth"),
    ),
    numbers("Deeper, km", ({ deeper }) => difference(deeper, 1), "than the preferred origin"),
    numbers("Gap, °", ({ origin }) => decimal(origin.quality?.azimuthalGap, 0)),
    numbers("Phases", ({ origin }) => decimal(origin.quality?.usedPhaseCount, 0), "used"),
    numbers(
      "RMS, s",
      ({ origin }) => decimal(origin.quality?.standardError, 2),
      "standard error of the residuals",
    ),
  ],
};

const MAGNITUDE: Kind<MagnitudeLine> = {
  kind: "magnitude",
  names: ["Magnitude", "Magnitudes"],
  solutionOf: ({ magnitude }) => magnitude,
  textOf: ({ magnitude }) => magnitude.type ?? "M",
  nameOf: ({ number, magnitude }) => `magnitude ${number}, ${magnitude.type ?? "of no type"}`,
  columns: [
    numbers("Value", ({ magnitude: { mag } }) =>
      withMargin(mag.value, mag.uncertainty, "magnitude"),
    ),
    numbers("Larger", ({ larger }) => difference(larger, 2), "than the preferred magnitude"),
    numbers("Stations", ({ magnitude }) => decimal(magnitude.stationCount, 0)),
    numbers("Of origin", ({ originNumber }) => decimal(originNumber, 0)),
  ],
};

type MechanismLine = Line & { readonly mechanism: NonNullable<Bulletin["focalMechanism"]>[number] };

function planeOf({ mechanism: { nodalPlanes } }: MechanismLine) {
  return nodalPlanes?.nodalPlane1 ?? nodalPlanes?.nodalPlane2;
}

const MECHANISM: Kind<MechanismLine> = {
  kind: "focalMechanism",
  names: ["Focal mechanism", "Focal mechanisms"],
  solutionOf: ({ mechanism }) => mechanism,
  textOf: ({ number }) => String(number),
  nameOf: ({ number }) => `focal mechanism ${number}`,
  columns: [
    numbers(
      "Strike, °",
      (line) => decimal(planeOf(line)?.strike.value, 0),
      "of the first nodal plane",
    ),
    numbers("Dip, °", (line) => decimal(planeOf(line)?.dip.value, 0)),
    numbers("Rake, °", (line) => decimal(planeOf(line)?.rake.value, 0)),
    numbers("Gap, °", ({ mechanism }) => decimal(mechanism.azimuthalGap, 0)),
    numbers(
      "Polarities",
      ({ mechanism }) => decimal(mechanism.stationPolarityCount, 0),
      "first motions used",
    ),
    [
      "Moment tensor",
      ({ mechanism }) => (mechanism.momentTensor?.some(({ tensor }) => tensor) ? "yes" : "no"),
    ],
  ],
};

/** Which solution a row has, whether it is the preferred one, and what can be done with it. */
function whichCell(text: string, solution: NamedSolution, actions: SolutionActions) {
  const { name, kind, publicID, isPreferred } = solution;
  const button = (word: string, label: string, onClick: () => void) => (
    <Button class="plain link" aria-label={`${label} ${name}`} onClick={onClick} text={word} />
  );
  return (
    <>
      {text}{" "}
      {isPreferred ? (
        <span class="badge good">preferred</span>
      ) : (
        actions && button("prefer", "Prefer", () => actions.prefer({ [`${kind}ID`]: publicID }))
      )}{" "}
      {actions && button("delete…", "Delete", () => actions.remove(solution))}
    </>
  );
}

/** A solution that may be deleted. */
export type NamedSolution = {
  readonly kind: "origin" | "magnitude" | "focalMechanism";
  readonly publicID: string;
  /** "origin 2". */
  readonly name: string;
  readonly isPreferred: boolean;
};

/** Asks, with what goes too, and deletes a solution of an event. */
export function useDeletion({ catalogueId, event, tag, reload }: BulletinProps) {
  const latest = useRef(tag);
  latest.current = tag;
  /** @param isCut whether the bulletin is here without its arrivals and station magnitudes */
  return (solution: NamedSolution, bulletin: Bulletin, isCut: boolean) => {
    const { kind, publicID, name, isPreferred } = solution;
    const goes = goesWith(bulletin, solution);
    const params = { id: catalogueId, eventId: event.id, kind, publicID };
    ask({
      title: `Delete ${name}`,
      text: (
        <>
          {goes.length > 0 ? (
            <>
              <p>With it go, because they are nothing without it:</p>
              <ul>
                {goes.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </>
          ) : (
            <p>Nothing else goes with it.</p>
          )}
          {isCut && kind !== "focalMechanism" && <p>So do its arrivals and station magnitudes.</p>}
          {isPreferred && (
            <p>
              It is the preferred one: the event then shows what the rules choose of the others.
            </p>
          )}
          <p class="muted">Picks and amplitudes stay, and so do earlier versions.</p>
        </>
      ),
      fields: { reason: REASON },
      action: "Delete",
      of: () => latest.current,
      run: (options, query) =>
        unlessChanged(
          call(
            "DELETE /api/catalogues/:id/events/:eventId/solutions/:kind/:publicID",
            { params, query: { cascade: "true", ...query } },
            { ...options, ifMatch: latest.current },
          ),
          reload,
        ),
      done: ({ version }) => `Deleted: ${name}, in version ${count(version)}`,
      after: reload,
    });
  };
}

/**
 * What is nothing without a solution, and goes with it: "12 arrivals", "2 magnitudes". The service's
 * rule (`services/domain/bulletin`), told beforehand.
 */
function goesWith(bulletin: Bulletin, { kind, publicID }: NamedSolution): readonly string[] {
  const { origin = [], magnitude = [], stationMagnitude = [], focalMechanism = [] } = bulletin;
  if (kind === "focalMechanism") {
    const tensors = focalMechanism.find((one) => one.publicID === publicID)?.momentTensor;
    return told([[tensors?.length, "moment tensor"]]);
  }
  if (kind === "magnitude") {
    const one = magnitude.find((other) => other.publicID === publicID);
    const contributions = one?.stationMagnitudeContribution?.length;
    return told([[contributions, "contribution of a station", "contributions of a station"]]);
  }
  const ofOrigin = (one: { readonly originID?: string }) => one.originID === publicID;
  const tensors = focalMechanism.flatMap(({ momentTensor = [] }) =>
    momentTensor.filter(({ derivedOriginID }) => derivedOriginID === publicID),
  );
  return told([
    [origin.find((one) => one.publicID === publicID)?.arrival?.length, "arrival"],
    [magnitude.filter(ofOrigin).length, "magnitude"],
    [stationMagnitude.filter(ofOrigin).length, "station magnitude"],
    [tensors.length, "moment tensor"],
  ]);
}

type Counted = readonly [number: number | undefined, noun: string, nouns?: string];

function told(counts: readonly Counted[]): readonly string[] {
  return counts.flatMap(([number = 0, ...nouns]) =>
    number === 0 ? [] : counted(number, ...nouns),
  );
}
