import { csvOf } from "../../ui/text/csv.ts";
import { count, decimal } from "../../ui/text/format.ts";
import { pointAt, sectorPath } from "./polar.ts";
import { PolarFigure, RADIUS } from "./polar-figure.tsx";
import { type Gap, gapsOf, roseOf, type Station } from "./stations.ts";

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
export function GapRose({ stations, given, name }: GapRoseProps) {
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
