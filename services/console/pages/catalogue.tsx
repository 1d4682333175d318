import { COLUMNS_LIMITS } from "#contracts/query/packed-columns.ts";
import { type Catalogue, call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { Head } from "../features/catalogue/head.tsx";
import { FilterBar } from "../features/work/filters/filter-bar.tsx";
import { useWork, type Work } from "../features/work/work.ts";
import { WorkArea } from "../features/work/work-area.tsx";
import { filterCount, SERVICE_FILTERS } from "../model/work-state.ts";
import { ErrorNotice, useAnswer, useCall } from "../ui/call.tsx";
import { useMayChange } from "../ui/catalogue-page.tsx";
import { Checkbox } from "../ui/form/fields.tsx";
import { Late } from "../ui/late.tsx";
import { Button, ButtonLink, Empty, isGone, type PageProps, Unread } from "../ui/page.tsx";
import { count, counted, decimal, UNKNOWN } from "../ui/text/format.ts";
import { UtcTime } from "../ui/text/moment.tsx";

// Their pages tell the same: the first load does not wait for these lines.
const currentLine = async () =>
  (await import("../features/schedules/current-line.tsx")).CurrentLine;
const behindLine = async () =>
  (await import("../features/merge/merged/behind-line.tsx")).BehindLine;

/** The work page of a catalogue: its events on a map, in a table and along time, linked. */
export function Page({ params: { id = "" } }: PageProps) {
  const { last, error, reload } = useCall<Catalogue>(`${id} ${changesOfAccount.value}`, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const catalogue = last?.id === id ? last : null;
  if (catalogue === null || isGone(error)) {
    return <Unread title="Catalogue" error={error} retry={reload} />;
  }
  return (
    <>
      <ErrorNotice error={error} retry={reload} />
      <WorkPage key={id} catalogue={catalogue} reload={reload} />
    </>
  );
}

function WorkPage(props: { readonly catalogue: Catalogue; readonly reload: () => void }) {
  const { catalogue, reload } = props;
  const { id } = catalogue;
  const work = useWork(catalogue);
  const { state, change, columns, isPart, filters, error } = work;
  // Of a part the page does not know how many a file would have.
  const passing = isPart ? null : work.passing;
  const isOld = columns !== null && state.asOf !== null && columns.version !== catalogue.version;
  const isEditors = has("editor") && state.asOf === null;
  const seen = { ...state, filters };
  return (
    <section class="page work">
      <Head catalogue={catalogue} state={seen} passing={passing} change={change} reload={reload} />
      {isEditors && <Late load={currentLine} of={{ catalogue: id }} />}
      {isEditors && catalogue.merge_config !== null && (
        <Late load={behindLine} of={{ catalogue: id }} />
      )}
      {isOld && <VersionBar work={work} version={columns.version} />}
      <ErrorNotice error={error} retry={work.reload} />
      {columns?.count === 0 && catalogue.event_count === 0 ? (
        <NoEvents catalogue={catalogue} />
      ) : (
        <>
          <FilterBar {...work}>{columns && <EventCount {...work} />}</FilterBar>
          {columns === null ? (
            error === null && <Loading {...work} />
          ) : (
            <WorkArea work={work} columns={columns} />
          )}
        </>
      )}
    </section>
  );
}

/** How many events there are without filters; null where the service has left some out already. */
function allOf({ catalogue, columns, state: { filters } }: Work): number | null {
  const isLatest = columns === null || columns.version === catalogue.version;
  if (isLatest) return catalogue.event_count;
  return SERVICE_FILTERS.some((name) => filters[name]) ? null : columns.count;
}

/** Tells that an earlier version is shown, and leads back. */
function VersionBar({ work, version }: { readonly work: Work; readonly version: number }) {
  const { catalogue, change } = work;
  const { id } = catalogue;
  const params = { id, version };
  const record = useAnswer("GET /api/catalogues/:id/versions/:version", { params }).answer?.version;
  return (
    <div class="bar warning row" role="status">
      <span>
        Version {count(version)} of {count(catalogue.version)}
        {record && (
          <>
            , <UtcTime at={record.created_at} length={16} /> UTC
          </>
        )}
      </span>
      <Button onClick={() => change({ asOf: null })} text="To the latest" />
    </div>
  );
}

/** How many events are shown, of how many. It takes the same room whatever is chosen: nothing below it moves. */
function EventCount(work: Work) {
  const { state, change, passing, moving } = work;
  // While it changes many times a second, nobody wants to hear it.
  const live = moving.value === undefined ? "polite" : "off";
  return (
    <div class="row shown">
      <p class="shown-count" aria-live={live}>
        <strong>{passing === null ? UNKNOWN : count(passing)}</strong>
        {ofHowMany(work)}
      </p>
      <Checkbox checked={state.inMap} onChecked={(inMap) => change({ inMap })}>
        Only what the map shows
      </Checkbox>
      <Button
        disabled={!isFiltered(work)}
        onClick={() => change({ filters: {}, inMap: false })}
        text="Clear"
      />
    </div>
  );
}

const isFiltered = ({ state }: Work) => filterCount(state) > 0 || state.inMap;

/** What follows on the number of the events that are shown. */
function ofHowMany(work: Work): string {
  const { columns, isInView, passing } = work;
  const total = columns?.total;
  if (total !== undefined) return ` of ${count(total)} drawn`;
  if (isInView) return " here, all drawn";
  const all = isFiltered(work) ? allOf(work) : null;
  if (all !== null) return ` of ${counted(all, "event")}`;
  return passing === 1 ? " event" : " events";
}

/** Bytes of an event: id, time, place, depth and magnitude. */
const EVENT_BYTES = 32;

/** How much of the events has come, where the map will be. */
function Loading({ catalogue, isLarge, bytes }: Work) {
  const expected = isLarge ? COLUMNS_LIMITS.largest : catalogue.event_count;
  const came = bytes.value;
  const all = Math.max(came, expected * EVENT_BYTES);
  return (
    <div class="loading-events waiting" role="status">
      <p>
        Loading {count(expected)} events
        {came > 0 && `: ${megabytes(came)} of at most ${megabytes(all)} MB`}…
      </p>
      <progress max={Math.max(1, all)} value={came} aria-label="Events that have come" />
    </div>
  );
}

function megabytes(bytes: number): string {
  return decimal(bytes / 2 ** 20, 1);
}

/** What stands instead of the map of a catalogue without events. */
function NoEvents({ catalogue }: { readonly catalogue: Catalogue }) {
  const { id, status } = catalogue;
  const mayChange = useMayChange(catalogue);
  const title = "This catalogue has no events";
  if (status === "processing") {
    const text = "Its first version is being written. It is offered here as soon as it is there.";
    return <Empty title={title} text={text} />;
  }
  if (status === "error") {
    return (
      <Empty title={title} text="Nothing came into it: what was to fill it has failed.">
        {has("viewer") && <ButtonLink href={`/catalogues/${id}/imports`} text="See its imports" />}
      </Empty>
    );
  }
  if (!mayChange) {
    return (
      <Empty title={title} text="As soon as an editor has added some, they are offered here." />
    );
  }
  return (
    <Empty title={title} text="Fill it from a file, from an agency, or by hand.">
      <ButtonLink class="primary" href={`/upload?catalogueId=${id}`} text="Upload a file" />
      <ButtonLink href={`/import?catalogueId=${id}`} text="Import from an agency" />
      <ButtonLink href={`/catalogues/${id}/add-event`} text="Add an event" />
    </Empty>
  );
}
