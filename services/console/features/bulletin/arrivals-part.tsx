import { useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import { useMemo } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { type Drawn, g, type Look, linePath, textAt } from "#contracts/plots/chart.ts";
import type { PlotColours } from "#contracts/plots/layout.ts";
import { numberText } from "#contracts/plots/numbers.ts";
import { px } from "#contracts/plots/scale.ts";
import { Figure } from "../../plots/chart.tsx";
import { Select } from "../../ui/form/fields.tsx";
import { Panel } from "../../ui/page.tsx";
import { type Columns, Table } from "../../ui/table.tsx";
import { csvOf, csvOfMembers } from "../../ui/text/files.ts";
import { count, counted, decimal, UNKNOWN } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import {
  type ArrivalRow,
  arrivalRows,
  type Gap,
  gapsOf,
  roseOf,
  type Station,
  stationsOf,
  travelTimes,
} from "./arrival-rows.ts";
import { drawPolar, pointAt, RADIUS, radialScale, sectorPath } from "./polar.ts";
import { difference, type OriginLine, originLines, sourceOf } from "./solution-lines.ts";
import { numbers } from "./solutions-part.tsx";

const SECTORS = 36;
const WIDTH = 360 / SECTORS;
/** Pixels. */
const RIM_MARK = 7;

/** How many of the stations that the location used lie in each direction, and the widest gap between them. */
function gapRose(stations: readonly Station[], given: number | null) {
  const azimuths = stations.filter(({ isUsed }) => isUsed).map(({ azimuth }) => azimuth);
  const counts = roseOf(azimuths, SECTORS);
  const most = Math.max(1, ...counts);
  const { primary, secondary } = gapsOf(azimuths);
  const rimMark = (azimuth: number) =>
    linePath([RADIUS, RADIUS - RIM_MARK].map((radius) => pointAt(azimuth, radius)));
  const radiusOf = (stationsThere: number) => RADIUS * Math.sqrt(stationsThere / most);
  const rings = [...new Set([Math.ceil(most / 4), Math.ceil(most / 2)])].filter((n) => n < most);
  const notes = [
    primary && `Widest gap ${sectorText(primary)}.`,
    secondary && `With one station less at worst ${decimal(secondary.width, 0)}°.`,
    given !== null && `The origin states ${decimal(given, 0)}°.`,
    `Areas are as numbers of stations used; the rim is at ${count(most)}.`,
  ];
  const polar = {
    title: primary ? `Azimuthal gap ${decimal(primary.width, 0)}°` : "Directions of the stations",
    rings: rings.map((n) => ({ radius: radiusOf(n), text: count(n) })),
    notes: notes.filter(Boolean).join(" "),
    marks: ({ series, ink, background }: PlotColours): readonly Drawn[] => [
      ...(primary ? [primary] : []).map(({ from, width }) => {
        const look = { fill: series[1], stroke: series[1], "fill-opacity": 0.18 };
        return sector(from, width, RADIUS, look);
      }),
      ...counts.flatMap((n, i) => {
        const look = { fill: series[0], stroke: background };
        return n === 0 ? [] : [sector(i * WIDTH, WIDTH, radiusOf(n), look)];
      }),
      // Where exactly each station lies, whatever its sector.
      ["path", { d: azimuths.map(rimMark).join(""), stroke: ink }],
    ],
  };
  return {
    label: `Rose of the directions of ${azimuths.length} stations${primary ? `, widest gap ${sectorText(primary)}` : ""}`,
    chart: (look: Look) => drawPolar(polar, look),
    csv: () =>
      csvOf(
        ["from", "to", "stations"],
        counts.map((n, i) => [i * WIDTH, (i + 1) * WIDTH, n]),
      ),
  };
}

function sector(
  from: number,
  width: number,
  radius: number,
  look: Readonly<Record<string, string | number>>,
): Drawn {
  return ["path", { d: sectorPath(from, width, radius), "stroke-width": 0.8, ...look }];
}

function sectorText({ from, to }: Gap): string {
  return `from ${decimal(from, 0)}° to ${decimal(to, 0)}°`;
}

/** Stations of which each has its name beside it, at most. */
const NAMED = 24;
const SIDE = 5;
const TRIANGLE = `M0 ${-SIDE - 1}L${SIDE} ${SIDE - 1}H${-SIDE}Z`;

/** The stations around the epicentre, by azimuth and distance. */
function stationPlot(stations: readonly Station[]) {
  const scale = radialScale(stations.map(({ distance }) => distance));
  const areNamed = stations.length <= NAMED;
  const notes = [
    `The rim is at ${decimal(scale.most, scale.most < 10 ? 2 : 0)}°.`,
    ...(scale.isRoot ? ["Distances from the middle are as their square roots."] : []),
    ...(stations.some(({ isUsed }) => !isUsed)
      ? ["Hollow: none of its arrivals was given weight by the location."]
      : []),
  ];
  const number = counted(stations.length, "station");
  const polar = {
    title: `${number} around the epicentre`,
    rings: scale.rings.map((ring) => {
      return { radius: RADIUS * scale.at(ring), text: `${numberText(ring, 6)}°` };
    }),
    notes: notes.join(" "),
    marks: ({ series, ink, background }: PlotColours): readonly Drawn[] => [
      ...stations.map((one): Drawn => {
        const [x, y] = pointAt(one.azimuth, RADIUS * scale.at(one.distance));
        const look = one.isUsed
          ? { fill: series[0], stroke: ink }
          : { fill: background, stroke: series[0] };
        return g(
          { transform: `translate(${px(x)} ${px(y)})`, "font-size": 9 },
          ["path", { d: TRIANGLE, ...look, "stroke-width": 0.8 }, ["title", {}, titleOf(one)]],
          ...(areNamed ? [textAt(SIDE + 2, 4, one.station)] : []),
        );
      }),
      ["path", { d: "M-6 0H6M0 -6V6", stroke: series[1], "stroke-width": 2.5 }],
    ],
  };
  return {
    label: `Map of ${number} by azimuth and distance from the epicentre`,
    chart: (look: Look) => drawPolar(polar, look),
    csv: () =>
      csvOf(["station", "azimuth", "distance", "phases", "residual", "used"], rowsOf(stations)),
  };
}

function titleOf({ station, distance, azimuth, phases, residual }: Station): string {
  const place = `${station}: ${decimal(distance, 2)}°, azimuth ${decimal(azimuth, 0)}°`;
  const late = residual === null ? "" : `, residual ${difference(residual, 2)} s`;
  return `${place}, ${phases.join(" ")}${late}`;
}

function rowsOf(stations: readonly Station[]): readonly unknown[][] {
  return stations.map(({ station, azimuth, distance, phases, residual, isUsed }) => [
    station,
    azimuth,
    distance,
    phases.join(" "),
    residual,
    isUsed,
  ]);
}

type SolutionChoiceProps<L> = {
  readonly id: string;
  readonly title: string;
  /** "Of origin". */
  readonly label: string;
  readonly lines: readonly L[];
  readonly textOf: (line: L) => string;
  readonly children: (line: L) => ComponentChildren;
};

/** What was made of one of several solutions, which is chosen: the preferred one at first. */
export function SolutionChoice<L extends { number: number; isPreferred: boolean }>(
  props: SolutionChoiceProps<L>,
) {
  const { id, title, label, lines, textOf, children } = props;
  const chosen = useSignal<number | null>(null);
  const line =
    lines.find(({ number }) => number === chosen.value) ??
    lines.find(({ isPreferred }) => isPreferred) ??
    lines[0];
  if (!line) return null;
  return (
    <Panel id={id} class="stack" title={title}>
      {lines.length > 1 && (
        <div class="bulletin-choice">
          <Select
            label={label}
            value={String(line.number)}
            options={lines.map((one) => ({ value: String(one.number), text: textOf(one) }))}
            onValue={(number) => (chosen.value = Number(number))}
          />
        </div>
      )}
      <Fragment key={line.number}>{children(line)}</Fragment>
    </Panel>
  );
}

/** The arrivals of an origin: where the stations lie, how far each is from the model, and all of them. */
export function ArrivalsPart({ bulletin }: { readonly bulletin: Bulletin }) {
  return (
    <SolutionChoice
      id="arrivals"
      title="Arrivals"
      label="Of origin"
      lines={originLines(bulletin).filter(({ origin }) => origin.arrival !== undefined)}
      textOf={({ number, origin, isPreferred }) =>
        `${number}, ${sourceOf(origin)}: ${counted(origin.arrival?.length ?? 0, "arrival")}${isPreferred ? " (preferred)" : ""}`
      }
    >
      {(line) => <ArrivalsOfOrigin bulletin={bulletin} line={line} />}
    </SolutionChoice>
  );
}

function ArrivalsOfOrigin(props: { readonly bulletin: Bulletin; readonly line: OriginLine }) {
  const { bulletin, line } = props;
  const { origin, number } = line;
  const rows = useMemo(() => arrivalRows(origin, bulletin), [origin, bulletin]);
  const stations = useMemo(() => stationsOf(rows), [rows]);
  const chart = useMemo(() => travelTimes(rows), [rows]);
  const plot = useMemo(() => stationPlot(stations), [stations]);
  const rose = useMemo(
    () => gapRose(stations, origin.quality?.azimuthalGap ?? null),
    [stations, origin],
  );
  const name = `arrivals of origin ${number}`;
  return (
    <>
      <div class="station-plots">
        {stations.length > 0 && (
          <>
            <Figure {...plot} name={`stations, ${name}`} />
            <Figure {...rose} name={`azimuthal gap, ${name}`} />
          </>
        )}
        {chart && (
          <Figure
            chart={chart}
            label={`Travel times and residuals of ${rows.length} arrivals by distance`}
            name={name}
            csv={() => csvOfMembers(rows, CSV_MEMBERS, CSV_NAMES)}
          />
        )}
      </div>
      <Table
        label="Arrivals with their picks"
        kind="compact folds"
        isLong
        columns={COLUMNS}
        rows={rows}
        rowAttributes={({ isUsed }) => ({ class: isUsed ? undefined : "muted" })}
      />
    </>
  );
}

const CSV_MEMBERS = [
  "station",
  "channel",
  "phase",
  "time",
  "travelTime",
  "residual",
  "distance",
  "azimuth",
  "weight",
  "onset",
  "polarity",
  "mode",
] as const satisfies readonly (keyof ArrivalRow)[];

const CSV_NAMES = CSV_MEMBERS.map((member) => (member === "travelTime" ? "travel_time" : member));

const COLUMNS: Columns<ArrivalRow> = [
  ["Station", ({ station }) => station || UNKNOWN, "", "row"],
  ["Channel", ({ channel }) => channel],
  ["Phase", ({ phase }) => phase],
  ["Picked, UTC", ({ time }) => (time ? <UtcTime at={time} length={22} /> : UNKNOWN), "nowrap"],
  numbers("Travel time, s", ({ travelTime }) => decimal(travelTime, 2)),
  numbers("Residual, s", ({ residual }) => difference(residual, 2)),
  numbers("Distance, °", ({ distance }) => decimal(distance, 2)),
  numbers("Azimuth, °", ({ azimuth }) => decimal(azimuth, 0)),
  numbers("Weight", ({ weight }) => decimal(weight, 2)),
  ["Onset", ({ onset }) => onset],
  ["Polarity", ({ polarity }) => polarity],
  ["Mode", ({ mode }) => mode],
];
