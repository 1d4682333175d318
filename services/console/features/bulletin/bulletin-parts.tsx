import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { addressOf, CallError, call } from "../../api/call.ts";
import { Figure } from "../../plots/chart.tsx";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Select } from "../../ui/form/inputs.tsx";
import { LongTable } from "../../ui/long-table.tsx";
import type { Column } from "../../ui/table.tsx";
import { csvOf } from "../../ui/text/files.ts";
import { count, counted, decimal, UNKNOWN } from "../../ui/text/format.ts";
import { ArrivalsPart } from "./arrivals-part.tsx";
import { DeleteSolution, type NamedSolution } from "./delete-solution.tsx";
import type { BulletinProps, SeismicEvent } from "./read-bulletin.ts";
import { difference, type MagnitudeLine, magnitudeLines, sourceOf } from "./solution-lines.ts";
import { type PreferredIds, SolutionsPart } from "./solutions-part.tsx";
import {
  type StationMagnitudeRow,
  stationMagnitudeChart,
  stationMagnitudeRows,
} from "./station-charts.ts";

/** All solutions of an event, with the arrivals and station magnitudes that they were made of. */
export function BulletinParts(props: BulletinProps) {
  const { event, read, canEdit } = props;
  const deleted = useSignal<NamedSolution | null>(null);
  const prefer = usePrefer(props);
  if (event.bulletin_counts === undefined) return null;
  return (
    <Answered call={read} answer={read.last}>
      {({ bulletin, isCut }) =>
        bulletin && (
          <>
            <SolutionsPart
              bulletin={bulletin}
              actions={canEdit ? { prefer, remove: (one) => (deleted.value = one) } : null}
            />
            {deleted.value && (
              <DeleteSolution
                {...props}
                bulletin={bulletin}
                isCut={isCut}
                solution={deleted.value}
                onClose={() => (deleted.value = null)}
              />
            )}
            {isCut ? (
              <LargeNotice {...props} counts={event.bulletin_counts} />
            ) : (
              <>
                <ArrivalsPart bulletin={bulletin} />
                <StationMagnitudesPart bulletin={bulletin} />
              </>
            )}
          </>
        )
      }
    </Answered>
  );
}

/** Makes a solution the preferred one, unless somebody else has changed the event meanwhile. */
function usePrefer({ catalogueId, event, tag, reload }: BulletinProps) {
  const attempt = useAttempts();
  const { run } = useAction();
  return (body: PreferredIds) =>
    run(async () => {
      try {
        const { version } = await attempt({ body, tag }, (idempotencyKey) =>
          call(
            "PATCH /api/catalogues/:id/events/:eventId/preferred",
            { params: { id: catalogueId, eventId: event.id }, body },
            { ifMatch: tag, idempotencyKey },
          ),
        );
        notice.done(`Preferred from version ${count(version)} on`);
      } catch (error) {
        // What others have made of it meanwhile is shown first.
        if (error instanceof CallError && error.status === 412) reload();
        throw error;
      }
      reload();
    });
}

type LargeNoticeProps = Pick<BulletinProps, "catalogueId" | "event" | "asOf"> & {
  readonly counts: SeismicEvent["bulletin_counts"];
};

/** Where there is too much to be shown, it is taken along. */
function LargeNotice({ catalogueId, event, asOf, counts }: LargeNoticeProps) {
  const address = addressOf("GET /api/catalogues/:id/events/:eventId/arrivals", {
    params: { id: catalogueId, eventId: event.id },
    query: { asOf },
  });
  return (
    <p class="notice">
      {counted(counts?.arrivals ?? 0, "arrival")} and{" "}
      {counted(counts?.station_magnitudes ?? 0, "station magnitude")} are too many to be shown here.{" "}
      <a href={address}>Arrivals as JSON</a>
    </p>
  );
}

type StationMagnitudesPartProps = { readonly bulletin: Bulletin };

/** What each station gave to a magnitude. */
function StationMagnitudesPart({ bulletin }: StationMagnitudesPartProps) {
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
