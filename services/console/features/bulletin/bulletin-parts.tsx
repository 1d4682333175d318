import { useMemo } from "preact/hooks";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { addressOf, call } from "../../api/call.ts";
import { Figure } from "../../plots/chart.tsx";
import { Answered, notice, useAction } from "../../ui/call.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { unlessChanged } from "../../ui/form/reason-field.tsx";
import { type ColumnOf, Table } from "../../ui/table.tsx";
import { csvOf } from "../../ui/text/files.ts";
import { count, counted, decimal, UNKNOWN } from "../../ui/text/format.ts";
import { ArrivalsPart, SolutionChoice } from "./arrivals-part.tsx";
import { useDeletion } from "./delete-solution.tsx";
import type { BulletinProps, SeismicEvent } from "./read-bulletin.ts";
import { difference, type MagnitudeLine, magnitudeLines, sourceOf } from "./solution-lines.ts";
import { numbers, type PreferredIds, SolutionsPart } from "./solutions-part.tsx";
import {
  type StationMagnitudeRow,
  stationMagnitudeChart,
  stationMagnitudeRows,
} from "./station-charts.ts";

/** All solutions of an event, with the arrivals and station magnitudes that they were made of. */
export function BulletinParts(props: BulletinProps) {
  const { event, read, canEdit } = props;
  const prefer = usePrefer(props);
  const askToDelete = useDeletion(props);
  if (event.bulletin_counts === undefined) return null;
  return (
    <Answered call={read} answer={read.last}>
      {({ bulletin, isCut }) =>
        bulletin && (
          <>
            <SolutionsPart
              bulletin={bulletin}
              actions={
                canEdit ? { prefer, remove: (one) => askToDelete(one, bulletin, isCut) } : null
              }
            />
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
      const params = { id: catalogueId, eventId: event.id };
      const { version } = await attempt({ body, tag }, (idempotencyKey) =>
        unlessChanged(
          call(
            "PATCH /api/catalogues/:id/events/:eventId/preferred",
            { params, body },
            { ifMatch: tag, idempotencyKey },
          ),
          reload,
        ),
      );
      notice.done(`Preferred from version ${count(version)} on`);
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

/** What each station gave to a magnitude. */
function StationMagnitudesPart({ bulletin }: { readonly bulletin: Bulletin }) {
  const known = useMemo(
    () =>
      magnitudeLines(bulletin)
        .map((line) => ({ ...line, rows: stationMagnitudeRows(bulletin, line.magnitude) }))
        .filter(({ rows }) => rows.length > 0),
    [bulletin],
  );
  return (
    <SolutionChoice
      id="station-magnitudes"
      title="Magnitudes by station"
      label="Of magnitude"
      lines={known}
      textOf={(line) =>
        `${nameOf(line)}, ${sourceOf(line.magnitude)}: ${counted(line.rows.length, "station magnitude")}`
      }
    >
      {(line) => <OfMagnitude line={line} rows={line.rows} />}
    </SolutionChoice>
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
        <Table
          label="Magnitudes by station"
          kind="compact"
          isLong
          columns={COLUMNS}
          rows={rows}
          rowAttributes={({ isUsed }) => ({ class: isUsed ? undefined : "muted" })}
        />
      </div>
    </div>
  );
}

const MEMBERS = ["station", "channel", "value", "residual", "weight", "distance"] as const;

const COLUMNS: readonly ColumnOf<StationMagnitudeRow>[] = [
  { head: "Station", isRowHead: true, cell: ({ station }) => station || UNKNOWN },
  { head: "Channel", cell: ({ channel }) => channel },
  numbers("Magnitude", ({ value }) => decimal(value, 2)),
  numbers("Residual", ({ residual }) => difference(residual, 2)),
  numbers("Weight", ({ weight }) => decimal(weight, 2)),
  numbers("Distance, °", ({ distance }) => decimal(distance, 2)),
];
