import { numberText } from "#contracts/plots/number-text.ts";
import { csvOf } from "../../ui/text/csv.ts";
import { counted, decimal } from "../../ui/text/format.ts";
import { pointAt, radialScale } from "./polar.ts";
import { PolarFigure, RADIUS } from "./polar-figure.tsx";
import type { Station } from "./stations.ts";
import { difference } from "./texts.ts";

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
export function StationPlot({ stations, name }: StationPlotProps) {
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
