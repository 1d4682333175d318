import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { addressOf, share } from "../api/call.ts";
import { changesOfAccount } from "../api/session.ts";
import { BulletinParts } from "../features/bulletin/bulletin-parts.tsx";
import { EventComments } from "../features/bulletin/event-comments.tsx";
import { useBulletin } from "../features/bulletin/read-bulletin.ts";
import { mapLines } from "../features/bulletin/solution-lines.ts";
import { VersionOffer } from "../features/catalogue/version-offer.tsx";
import { EditEvent, EventButtons } from "../features/event/event-dialogs.tsx";
import { EventHead } from "../features/event/event-head.tsx";
import { History } from "../features/event/history.tsx";
import { Mechanisms } from "../features/event/mechanism.tsx";
import type { FocalMechanism } from "../features/event/mechanism-values.ts";
import { Nearby } from "../features/event/nearby.tsx";
import { Provenance } from "../features/event/provenance.tsx";
import { type EventReading, readEvent } from "../features/event/read-event.ts";
import type { SeismicEvent } from "../model/operation-types.ts";
import { addressOfEvent, type PageProps } from "../model/page-route.ts";
import { ErrorNotice, useCall, Waiting } from "../ui/call.tsx";
import { Facts } from "../ui/facts.tsx";
import { Empty, FailedPage, useTitle } from "../ui/page.tsx";
import {
  type EventValues,
  type FieldName,
  labelOf,
  ROWS,
  shownValue,
  toldMargin,
  toldValue,
} from "../ui/text/attribute-names.ts";
import { count, versionName } from "../ui/text/format.ts";
import { tooltipOf } from "../ui/text/moment.tsx";
import { useMayChange } from "../ui/use-may-change.ts";

/** One event: what is known of it, how it came to be so, and what is near. */
export function Page({ params: { id = "", eventId = "" } }: PageProps) {
  const asOf = new URLSearchParams(useSearch()).get("asOf") ?? undefined;
  const { last, error, reload } = useCall(
    `${id} ${eventId} ${asOf} ${changesOfAccount.value}`,
    (signal) => readEvent(id, eventId, asOf, signal),
  );
  const loaded = last?.eventId === eventId ? last : null;
  if (loaded === null) {
    if (error === null) return <Waiting />;
    return <FailedPage title="Event" error={error} retry={reload} />;
  }
  // A page that is there stays, with what is typed in it, when reading it anew fails.
  return (
    <section class="page event-page">
      <ErrorNotice error={error} retry={reload} />
      <EventParts key={eventId} loaded={loaded} reload={reload} />
    </section>
  );
}

type EventPartsProps = { readonly loaded: EventReading; readonly reload: () => void };

function EventParts({ loaded, reload }: EventPartsProps) {
  const { catalogue, event, history, asOf, tag } = loaded;
  const mayChange = useMayChange(catalogue);
  const isEditing = useSignal(false);
  const last = event ?? history[0]?.event ?? null;
  useTitle(`Event in ${catalogue.name}`);
  const read = useBulletin(catalogue.id, event, asOf);
  const bulletin = read.last?.bulletin ?? null;
  const lines = useMemo(() => (last ? mapLines(bulletin, last) : []), [bulletin, last]);
  if (last === null) return <NoSuchEvent catalogue={catalogue} />;
  const canEdit = mayChange && event !== null && asOf === undefined;
  const ofBulletin = event && {
    catalogueId: catalogue.id,
    event,
    asOf,
    tag,
    canEdit,
    read,
    reload,
  };
  const mechanisms = (last.focal_mechanisms ?? []) as readonly FocalMechanism[];
  return (
    <>
      <WayToCatalogue catalogue={catalogue} event={last.id} asOf={asOf} />
      {asOf === undefined && <VersionOffer catalogue={catalogue} onShow={reload} />}
      <EventHead event={last}>
        {event !== null && (
          <a
            class="button quiet"
            href={addressOf("GET /api/catalogues/:id/events/:eventId", {
              params: { id: catalogue.id, eventId: event.id },
              query: { asOf },
            })}
          >
            Raw JSON
          </a>
        )}
        {canEdit && <EventButtons {...{ catalogue, event, tag, isEditing, reload }} />}
      </EventHead>
      {event === null && (
        <p class="notice warning">
          {asOf === undefined
            ? `This event was removed by version ${count(history[0]?.version ?? 0)}; it is shown as it was before.`
            : `This event is not in version ${versionName(asOf)}; it is shown as it was last.`}
        </p>
      )}
      {canEdit && isEditing.value && (
        <EditEvent
          {...{ catalogue, event, tag }}
          onClose={() => (isEditing.value = false)}
          onDone={() => {
            isEditing.value = false;
            reload();
          }}
        />
      )}
      <div class="event-parts">
        <Nearby
          key={`${last.id} ${asOf}`}
          catalogue={catalogue}
          event={last}
          asOf={asOf}
          lines={lines}
        />
        <Attributes event={last} />
      </div>
      {event && bulletin && <PartsNav event={event} isCut={read.last?.isCut ?? false} />}
      {ofBulletin && <BulletinParts {...ofBulletin} />}
      {last.source_events && (
        <Provenance
          sources={last.source_events}
          steered={canEdit && catalogue.merge_config !== null ? catalogue.id : null}
        />
      )}
      <div class="event-rest">
        {mechanisms.length > 0 && <Mechanisms mechanisms={mechanisms} />}
        <div class={mechanisms.length === 1 ? "event-story" : "event-story whole"}>
          {share === null && (
            <History
              catalogue={catalogue}
              eventId={last.id}
              history={history}
              tag={tag}
              reload={mayChange && asOf === undefined ? reload : null}
            />
          )}
          {ofBulletin && <EventComments {...ofBulletin} />}
        </div>
      </div>
    </>
  );
}

function NoSuchEvent({ catalogue: { id, name } }: Pick<EventReading, "catalogue">) {
  return (
    <>
      <h1>There is no such event</h1>
      <Empty title={`Nothing of “${name}” has this address.`} text="It may be mistyped.">
        <Link class="button" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </Empty>
    </>
  );
}

type WayProps = Pick<EventReading, "catalogue" | "asOf"> & { readonly event: string };

function WayToCatalogue({ catalogue: { id, name }, event, asOf }: WayProps) {
  const query = new URLSearchParams({ event, ...(asOf && { asOf }) });
  return (
    <p class="small">
      <Link href={`/catalogues/${id}?${query}`}>{name}</Link>
      {asOf !== undefined && (
        <>
          {`, version ${versionName(asOf)} · `}
          <Link href={addressOfEvent(id, event)}>To the latest</Link>
        </>
      )}
    </p>
  );
}

type PartsNavProps = {
  readonly event: SeismicEvent;
  /** Whether arrivals and station magnitudes are too many to be shown. */
  readonly isCut: boolean;
};

/** The way to the parts of a long page: of an event with more than one solution, or with arrivals. */
function PartsNav({ event, isCut }: PartsNavProps) {
  const { bulletin_counts: counts, focal_mechanisms, source_events } = event;
  if (counts === undefined) return null;
  const parts: readonly (readonly [id: string, text: string, isThere: boolean])[] = [
    ["solutions", "Solutions", true],
    ["arrivals", "Arrivals", !isCut && (counts.arrivals ?? 0) > 0],
    ["station-magnitudes", "Magnitudes by station", !isCut && (counts.station_magnitudes ?? 0) > 0],
    ["merged-from", "Merged from", (source_events?.length ?? 0) > 0],
    ["mechanism", "Mechanism", (focal_mechanisms?.length ?? 0) > 0],
    ["history", "History", share === null],
  ];
  return (
    <nav class="tabs parts-nav" aria-label="Parts of this page">
      {parts.map(
        ([id, text, isThere]) =>
          isThere && (
            <a key={id} href={`#${id}`}>
              {text}
            </a>
          ),
      )}
    </nav>
  );
}

/** All attributes that are known, each with its uncertainty; what is stored stands at it on hovering. */
function Attributes({ event }: { readonly event: SeismicEvent }) {
  const values: EventValues = event;
  return (
    <div class="attribute-groups">
      {ROWS.map(({ title, rows }) => {
        const known = rows.filter(({ name }) => (values[name] ?? null) !== null);
        if (known.length === 0) return null;
        return (
          <section key={title} class="stack">
            <h2>{title}</h2>
            <Facts
              facts={known.map(({ name }) => ({
                name: labelOf(name),
                title: titleOf(name, event),
                text: (
                  <>
                    {toldValue(name, values)}{" "}
                    <span class="muted nowrap">{toldMargin(name, values)}</span>
                  </>
                ),
              }))}
            />
          </section>
        );
      })}
    </div>
  );
}

/** A value as it is stored, where that is not what is told; a time by the local clock too. */
function titleOf(name: FieldName, event: SeismicEvent): string | undefined {
  if (name === "time") return tooltipOf(event.time);
  const values: EventValues = event;
  const stored = shownValue(name, values[name]);
  return stored === toldValue(name, values) ? undefined : stored;
}
