import { useMemo } from "preact/hooks";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { addressOf, call } from "../../api/call.ts";
import { Figure } from "../../plots/chart.tsx";
import { Answered, ErrorNotice, notice, useWrite } from "../../ui/call.tsx";
import { unlessChanged } from "../../ui/form/attempts.ts";
import { area, useForm } from "../../ui/form/form.tsx";
import { SubmitRow } from "../../ui/form/submit.tsx";
import { Panel } from "../../ui/page.tsx";
import { type Columns, Table } from "../../ui/table.tsx";
import { csvOfMembers } from "../../ui/text/files.ts";
import { count, counted, decimal, UNKNOWN } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import {
  type StationMagnitudeRow,
  stationMagnitudeChart,
  stationMagnitudeRows,
} from "./arrival-rows.ts";
import { ArrivalsPart, SolutionChoice } from "./arrivals-part.tsx";
import type { BulletinProps } from "./read-bulletin.ts";
import {
  difference,
  type MagnitudeLine,
  magnitudeLines,
  makersOf,
  sourceOf,
} from "./solution-lines.ts";
import { numbers, type PreferredIds, SolutionsPart, useDeletion } from "./solutions-part.tsx";

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
              <LargeNotice {...props} />
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
  const { write } = useWrite();
  const params = { id: catalogueId, eventId: event.id };
  return (body: PreferredIds) =>
    write({
      what: { body, tag },
      send: (options) =>
        unlessChanged(
          call(
            "PATCH /api/catalogues/:id/events/:eventId/preferred",
            { params, body },
            { ...options, ifMatch: tag },
          ),
          reload,
        ),
      after: ({ version }) => {
        notice.done(`Preferred from version ${count(version)} on`);
        reload();
      },
    });
}

/** Where there is too much to be shown, it is taken along. */
function LargeNotice({ catalogueId, event, asOf }: BulletinProps) {
  const { arrivals = 0, station_magnitudes: ofStations = 0 } = event.bulletin_counts ?? {};
  const address = addressOf("GET /api/catalogues/:id/events/:eventId/arrivals", {
    params: { id: catalogueId, eventId: event.id },
    query: { asOf },
  });
  return (
    <p class="notice">
      {counted(arrivals, "arrival")} and {counted(ofStations, "station magnitude")} are too many to
      be shown here. <a href={address}>Arrivals as JSON</a>
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
      {(line) => <OfMagnitude {...line} />}
    </SolutionChoice>
  );
}

function nameOf({ magnitude: { type, mag } }: Pick<MagnitudeLine, "magnitude">): string {
  return `${type ?? "M"} ${decimal(mag.value, 2)}`;
}

type OfMagnitudeProps = MagnitudeLine & { readonly rows: readonly StationMagnitudeRow[] };

function OfMagnitude({ magnitude, rows }: OfMagnitudeProps) {
  const name = nameOf({ magnitude });
  const chart = useMemo(() => stationMagnitudeChart(name, magnitude.mag.value, rows), [rows]);
  return (
    <div class="plot-and-table">
      {chart && (
        <Figure
          chart={chart}
          label={`${counted(rows.length, "station magnitude")} by distance`}
          name={`station magnitudes ${name}`}
          csv={() => csvOfMembers(rows, MEMBERS)}
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

const COLUMNS: Columns<StationMagnitudeRow> = [
  ["Station", ({ station }) => station || UNKNOWN, "", "row"],
  ["Channel", ({ channel }) => channel],
  numbers("Magnitude", ({ value }) => decimal(value, 2)),
  numbers("Residual", ({ residual }) => difference(residual, 2)),
  numbers("Weight", ({ weight }) => decimal(weight, 2)),
  numbers("Distance, °", ({ distance }) => decimal(distance, 2)),
];

/** Characters of a comment, at most. */
const MOST = 10_000;

/** What people have written of an event and its solutions, and a form to add to it for editors. */
export function EventComments(props: BulletinProps) {
  const { canEdit, read } = props;
  const bulletin = read.last?.bulletin ?? null;
  const comments = bulletin === null ? [] : commentsOf(bulletin);
  if (comments.length === 0 && !canEdit) return null;
  return (
    <Panel id="comments" class="stack" title="Comments">
      {comments.length > 0 && (
        <ul class="comments">
          {comments.map(({ text, of, author, time }, i) => (
            <li key={i}>
              <p class="comment-text">{text}</p>
              <p class="muted small">
                {[of, author].filter(Boolean).join(" · ")}
                {time !== null && (
                  <>
                    {" · "}
                    <When at={time} length={16} />
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {canEdit && <CommentForm {...props} />}
    </Panel>
  );
}

function CommentForm({ catalogueId, event, reload }: BulletinProps) {
  const { typed, set, field, failure, submit, isBusy } = useForm({
    fields: { text: area({ label: "Add a comment", required: true, max: MOST, rows: 2 }) },
    run: (options, body) =>
      call(
        "POST /api/catalogues/:id/events/:eventId/comments",
        { params: { id: catalogueId, eventId: event.id }, body },
        options,
      ),
    done: ({ version }) => `The comment is added: version ${count(version)}`,
    after: () => {
      set({ text: "" });
      reload();
    },
  });
  return (
    <form class="comment-form" onSubmit={submit}>
      {field("text")}
      <ErrorNotice error={failure} />
      <SubmitRow text="Add" isDisabled={isBusy.value || typed.value.text.trim() === ""} />
    </form>
  );
}

/** The comments on an event, then those on its origins, magnitudes and mechanisms. */
function commentsOf(bulletin: Bulletin) {
  const { comment, origin = [], magnitude = [], focalMechanism = [] } = bulletin;
  return [
    ...placed(comment, ""),
    ...origin.flatMap((one, i) => placed(one.comment, `Origin ${i + 1}`)),
    ...magnitude.flatMap((one, i) => placed(one.comment, `Magnitude ${i + 1}, ${one.type ?? "M"}`)),
    ...focalMechanism.flatMap((one, i) => placed(one.comment, `Mechanism ${i + 1}`)),
  ];
}

/** @param of what they are about, "Origin 2"; empty for the event itself */
function placed(comments: readonly QuakemlObject<"Comment">[] = [], of: string) {
  return comments.map(({ text, creationInfo }) => ({
    text,
    of,
    /** Empty where it is not known. */
    author: creationInfo ? makersOf({ creationInfo }) : "",
    /** ISO 8601 in UTC; null where it is not known. */
    time: creationInfo?.creationTime ? parseTime(creationInfo.creationTime) : null,
  }));
}
