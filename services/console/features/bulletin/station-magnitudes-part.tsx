import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { Figure } from "../../plots/chart/figure.tsx";
import { Select } from "../../ui/form/select.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { csvOf } from "../../ui/text/csv.ts";
import { counted, decimal, UNKNOWN } from "../../ui/text/format.ts";
import { type MagnitudeLine, magnitudeLines } from "./solution-lines.ts";
import { stationMagnitudeChart } from "./station-magnitude-chart.ts";
import { type StationMagnitudeRow, stationMagnitudeRows } from "./station-magnitudes.ts";
import { difference, sourceOf } from "./texts.ts";

type StationMagnitudesPartProps = { readonly bulletin: Bulletin };

/** What each station gave to a magnitude. */
export function StationMagnitudesPart({ bulletin }: StationMagnitudesPartProps) {
  const chosen = useSignal<number | null>(null);
  const known = useMemo(
    () =>
      magnitudeLines(bulletin)
        .map((line) => ({ line, rows: stationMagnitudeRows(bulletin, line.magnitude) }))
        .filter(({ rows }) => rows.length > 0),
    [bulletin],
  );
  const one =
    known.find(({ line }) => line.number === chosen.value) ??
    known.find(({ line }) => line.isPreferred) ??
    known[0];
  if (!one) return null;
  return (
    <section id="station-magnitudes" class="stack">
      <h2>Magnitudes by station</h2>
      {known.length > 1 && (
        <div class="bulletin-choice">
          <Select
            label="Of magnitude"
            value={String(one.line.number)}
            options={known.map(({ line, rows }) => ({
              value: String(line.number),
              text: `${nameOf(line)}, ${sourceOf(line.magnitude)}: ${counted(rows.length, "station magnitude")}`,
            }))}
            onValue={(number) => {
              chosen.value = Number(number);
            }}
          />
        </div>
      )}
      <OfMagnitude key={one.line.number} line={one.line} rows={one.rows} />
    </section>
  );
}

function nameOf({ magnitude: { type, mag } }: MagnitudeLine): string {
  return `${type ?? "M"} ${decimal(mag.value, 2)}`;
}

type OfMagnitudeProps = {
  readonly line: MagnitudeLine;
  readonly rows: readonly StationMagnitudeRow[];
};

function OfMagnitude({ line, rows }: OfMagnitudeProps) {
  const chart = useMemo(
    () => stationMagnitudeChart(nameOf(line), line.magnitude.mag.value, rows),
    [line, rows],
  );
  return (
    <div class="plot-and-table">
      {chart && (
        <Figure
          chart={chart}
          label={`${counted(rows.length, "station magnitude")} by distance`}
          name={`station magnitudes ${nameOf(line)}`}
          csv={() =>
            csvOf(
              MEMBERS,
              rows.map((row) => MEMBERS.map((member) => row[member])),
            )
          }
        />
      )}
      <div class="stack">
        <LongTable
          label="Magnitudes by station"
          kind="compact"
          columns={COLUMNS}
          rows={rows.map((row, i) => (
            <tr key={i} class={row.isUsed ? undefined : "muted"}>
              <th scope="row">{row.station || UNKNOWN}</th>
              <td>{row.channel}</td>
              <td class="number">{decimal(row.value, 2)}</td>
              <td class="number">{difference(row.residual, 2)}</td>
              <td class="number">{decimal(row.weight, 2)}</td>
              <td class="number">{decimal(row.distance, 2)}</td>
            </tr>
          ))}
        />
      </div>
    </div>
  );
}

const MEMBERS = ["station", "channel", "value", "residual", "weight", "distance"] as const;

const COLUMNS: readonly Column[] = [
  "Station",
  "Channel",
  { number: "Magnitude" },
  { number: "Residual" },
  { number: "Weight" },
  { number: "Distance, °" },
];
