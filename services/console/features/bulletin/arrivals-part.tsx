import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { Figure } from "../../plots/chart/figure.tsx";
import { Select } from "../../ui/form/select.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { csvOf } from "../../ui/text/csv.ts";
import { decimal, UNKNOWN } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import { type ArrivalRow, arrivalRows } from "./arrival-rows.ts";
import { GapRose } from "./gap-rose.tsx";
import { type OriginLine, originLines } from "./solution-lines.ts";
import { StationPlot } from "./station-plot.tsx";
import { stationsOf } from "./stations.ts";
import { difference, sourceOf } from "./texts.ts";
import { travelTimes } from "./travel-times.ts";

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
