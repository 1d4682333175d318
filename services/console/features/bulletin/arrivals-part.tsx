import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { numberText } from "#contracts/plots/numbers.ts";
import { Figure } from "../../plots/chart.tsx";
import { Select } from "../../ui/form/inputs.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { csvOf } from "../../ui/text/files.ts";
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
} from "./arrival-rows.ts";
import { pointAt, radialScale, sectorPath } from "./polar.ts";
import { PolarFigure, RADIUS } from "./polar-figure.tsx";
import { difference, type OriginLine, originLines, sourceOf } from "./solution-lines.ts";
import { travelTimes } from "./station-charts.ts";

const SECTORS = 36;
const WIDTH = 360 / SECTORS;
/** Pixels. */
const RIM_MARK = 7;

type GapRoseProps = {
  readonly stations: readonly Station[];
  /** The azimuthal gap that the origin states, degrees. */
  readonly given: number | null;
  /** Of the files. */
  readonly name: string;
};

/** How many of the stations that the location used lie in each direction, and the widest gap between them. */
function GapRose({ stations, given, name }: GapRoseProps) {
  const azimuths = stations.filter(({ isUsed }) => isUsed).map(({ azimuth }) => azimuth);
  const counts = roseOf(azimuths, SECTORS);
  const most = Math.max(1, ...counts);
  const { primary, secondary } = gapsOf(azimuths);
  const radiusOf = (stationsThere: number) => RADIUS * Math.sqrt(stationsThere / most);
  const rings = [...new Set([Math.ceil(most / 4), Math.ceil(most / 2)])].filter((n) => n < most);
  return (
    <PolarFigure
      title={primary ? `Azimuthal gap ${decimal(primary.width, 0)}°` : "Directions of the stations"}
      label={`Rose of the directions of ${azimuths.length} stations${primary ? `, widest gap ${sectorText(primary)}` : ""}`}
      name={name}
      rings={rings.map((n) => ({ radius: radiusOf(n), text: count(n) }))}
      notes={[notesOf(primary, secondary, given, most)]}
      csv={() =>
        csvOf(
          ["from", "to", "stations"],
          counts.map((n, i) => [i * WIDTH, (i + 1) * WIDTH, n]),
        )
      }
    >
      {({ series, ink, background }) => (
        <>
          {primary && (
            <path
              d={sectorPath(primary.from, primary.width, RADIUS)}
              fill={series[1]}
              fill-opacity={0.18}
              stroke={series[1]}
              stroke-width={1.2}
            />
          )}
          {counts.map(
            (n, i) =>
              n > 0 && (
                <path
                  key={i}
                  d={sectorPath(i * WIDTH, WIDTH, radiusOf(n))}
                  fill={series[0]}
                  stroke={background}
                  stroke-width={0.8}
                />
              ),
          )}
          <path d={azimuths.map(rimMark).join("")} stroke={ink} />
        </>
      )}
    </PolarFigure>
  );
}

/** Where exactly a station lies, whatever its sector. */
function rimMark(azimuth: number): string {
  const [x, y] = pointAt(azimuth, RADIUS);
  const [innerX, innerY] = pointAt(azimuth, RADIUS - RIM_MARK);
  return `M${x.toFixed(1)} ${y.toFixed(1)}L${innerX.toFixed(1)} ${innerY.toFixed(1)}`;
}

function notesOf(
  primary: Gap | null,
  secondary: Gap | null,
  given: number | null,
  most: number,
): string {
  return [
    ...(primary ? [`Widest gap ${sectorText(primary)}.`] : []),
    ...(secondary ? [`With one station less at worst ${decimal(secondary.width, 0)}°.`] : []),
    ...(given === null ? [] : [`The origin states ${decimal(given, 0)}°.`]),
    `Areas are as numbers of stations used; the rim is at ${count(most)}.`,
  ].join(" ");
}

function sectorText({ from, to }: Gap): string {
  return `from ${decimal(from, 0)}° to ${decimal(to, 0)}°`;
}

/** Stations of which each has its name beside it, at most. */
const NAMED = 24;
const SIDE = 5;
const TRIANGLE = `M0 ${-SIDE - 1}L${SIDE} ${SIDE - 1}H${-SIDE}Z`;

type StationPlotProps = {
  readonly stations: readonly Station[];
  /** Of the files. */
  readonly name: string;
};

/** The stations around the epicentre, by azimuth and distance. */
function StationPlot({ stations, name }: StationPlotProps) {
  const scale = radialScale(stations.map(({ distance }) => distance));
  const areNamed = stations.length <= NAMED;
  const notes = [
    `The rim is at ${decimal(scale.most, scale.most < 10 ? 2 : 0)}°.`,
    ...(scale.isRoot ? ["Distances from the middle are as their square roots."] : []),
    ...(stations.some(({ isUsed }) => !isUsed)
      ? ["Hollow: none of its arrivals was given weight by the location."]
      : []),
  ];
  return (
    <PolarFigure
      title={`${counted(stations.length, "station")} around the epicentre`}
      label={`Map of ${counted(stations.length, "station")} by azimuth and distance from the epicentre`}
      name={name}
      rings={scale.rings.map((ring) => ({
        radius: RADIUS * scale.at(ring),
        text: `${numberText(ring, 6)}°`,
      }))}
      notes={[notes.join(" ")]}
      csv={() =>
        csvOf(["station", "azimuth", "distance", "phases", "residual", "used"], rowsOf(stations))
      }
    >
      {({ series, ink, background }) => (
        <>
          {stations.map((one) => {
            const [x, y] = pointAt(one.azimuth, RADIUS * scale.at(one.distance));
            return (
              <g key={one.station} transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}>
                <path
                  d={TRIANGLE}
                  fill={one.isUsed ? series[0] : background}
                  stroke={one.isUsed ? ink : series[0]}
                  stroke-width={0.8}
                >
                  <title>{titleOf(one)}</title>
                </path>
                {areNamed && (
                  <text x={SIDE + 2} y={4} font-size={9}>
                    {one.station}
                  </text>
                )}
              </g>
            );
          })}
          <path d="M-6 0H6M0 -6V6" stroke={series[1]} stroke-width={2.5} />
        </>
      )}
    </PolarFigure>
  );
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

type ArrivalsPartProps = { readonly bulletin: Bulletin };

/** The arrivals of an origin: where the stations lie, how far each is from the model, and all of them. */
export function ArrivalsPart({ bulletin }: ArrivalsPartProps) {
  const chosen = useSignal<number | null>(null);
  const lines = originLines(bulletin).filter(({ origin }) => origin.arrival !== undefined);
  const line =
    lines.find(({ number }) => number === chosen.value) ??
    lines.find(({ isPreferred }) => isPreferred) ??
    lines[0];
  if (!line) return null;
  return (
    <section id="arrivals" class="stack">
      <h2>Arrivals</h2>
      {lines.length > 1 && (
        <div class="bulletin-choice">
          <Select
            label="Of origin"
            value={String(line.number)}
            options={lines.map((one) => ({ value: String(one.number), text: textOf(one) }))}
            onValue={(number) => {
              chosen.value = Number(number);
            }}
          />
        </div>
      )}
      <ArrivalsOfOrigin key={line.number} bulletin={bulletin} line={line} />
    </section>
  );
}

function textOf({ number, origin, isPreferred }: OriginLine): string {
  const arrivals = origin.arrival?.length ?? 0;
  const name = `${number}, ${sourceOf(origin)}: ${arrivals} ${arrivals === 1 ? "arrival" : "arrivals"}`;
  return isPreferred ? `${name} (preferred)` : name;
}

type ArrivalsOfOriginProps = { readonly bulletin: Bulletin; readonly line: OriginLine };

function ArrivalsOfOrigin({ bulletin, line: { origin, number } }: ArrivalsOfOriginProps) {
  const rows = useMemo(() => arrivalRows(origin, bulletin), [origin, bulletin]);
  const stations = useMemo(() => stationsOf(rows), [rows]);
  const chart = useMemo(() => travelTimes(rows), [rows]);
  const name = `arrivals of origin ${number}`;
  return (
    <>
      <div class="station-plots">
        {stations.length > 0 && (
          <>
            <StationPlot stations={stations} name={`stations, ${name}`} />
            <GapRose
              stations={stations}
              given={origin.quality?.azimuthalGap ?? null}
              name={`azimuthal gap, ${name}`}
            />
          </>
        )}
        {chart && (
          <Figure
            chart={chart}
            label={`Travel times and residuals of ${rows.length} arrivals by distance`}
            name={name}
            csv={() =>
              csvOf(
                CSV_NAMES,
                rows.map((row) => CSV_MEMBERS.map((member) => row[member])),
              )
            }
          />
        )}
      </div>
      <LongTable
        label="Arrivals with their picks"
        kind="compact folds"
        columns={COLUMNS}
        rows={rows.map((row, i) => <Row key={i} row={row} />)}
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

const COLUMNS: readonly Column[] = [
  "Station",
  "Channel",
  "Phase",
  "Picked, UTC",
  { number: "Travel time, s" },
  { number: "Residual, s" },
  { number: "Distance, °" },
  { number: "Azimuth, °" },
  { number: "Weight" },
  "Onset",
  "Polarity",
  "Mode",
];

function Row({ row }: { readonly row: ArrivalRow }) {
  return (
    <tr class={row.isUsed ? undefined : "muted"}>
      <th scope="row">{row.station || UNKNOWN}</th>
      <td>{row.channel}</td>
      <td>{row.phase}</td>
      <td class="nowrap">{row.time ? <UtcTime at={row.time} length={22} /> : UNKNOWN}</td>
      <td class="number">{decimal(row.travelTime, 2)}</td>
      <td class="number">{difference(row.residual, 2)}</td>
      <td class="number">{decimal(row.distance, 2)}</td>
      <td class="number">{decimal(row.azimuth, 0)}</td>
      <td class="number">{decimal(row.weight, 2)}</td>
      <td>{row.onset}</td>
      <td>{row.polarity}</td>
      <td>{row.mode}</td>
    </tr>
  );
}
