import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { addressOf, type SeismicEvent, share } from "../api/call.ts";
import { changesOfAccount } from "../api/session.ts";
import { BulletinParts, EventComments } from "../features/bulletin/bulletin-parts.tsx";
import { useBulletin } from "../features/bulletin/read-bulletin.ts";
import { mapLines } from "../features/bulletin/solution-lines.ts";
import { VersionOffer } from "../features/catalogue/version-offer.tsx";
import { EditEvent, EventButtons } from "../features/event/event-dialogs.tsx";
import { History, Provenance } from "../features/event/history.tsx";
import { Mechanisms } from "../features/event/mechanism.tsx";
import type { FocalMechanism } from "../features/event/mechanism-values.ts";
import { Nearby } from "../features/event/nearby.tsx";
import { type EventReading, readEvent } from "../features/event/read-event.ts";
import { digitsOfPlace, placeMargin } from "../features/event/uncertainty.ts";
import { addressOfEvent } from "../model/event-columns.ts";
import { ErrorNotice, useCall } from "../ui/call.tsx";
import { useMayChange } from "../ui/catalogue-page.tsx";
import { ButtonLink, Empty, Facts, type PageProps, Panel, Unread, useTitle } from "../ui/page.tsx";
import {
  type EventValues,
  type FieldName,
  labelOf,
  ROWS,
  shownValue,
  toldMargin,
  toldValue,
} from "../ui/text/attribute-names.ts";
import {
  count,
  latitude,
  longitude,
  magnitudeName,
  measured,
  versionName,
} from "../ui/text/format.ts";
import { tooltipOf, When } from "../ui/text/moment.tsx";
import { useRegion } from "../ui/text/where.tsx";

/** One event: what is known of it, how it came to be so, and what is near. */
export function Page({ params: { id = "", eventId = "" } }: PageProps) {
  const asOf = new URLSearchParams(useSearch()).get("asOf") ?? undefined;
  const { last, error, reload } = useCall(
    `${id} ${eventId} ${asOf} ${changesOfAccount.value}`,
    (signal) => readEvent(id, eventId, asOf, signal),
  );
  const loaded = last?.eventId === eventId ? last : null;
  if (loaded === null) return <Unread title="Event" error={error} retry={reload} />;
  // A page that is there stays, with what is typed in it, when reading it anew fails.
  return (
    <section class="page event-page">
      <ErrorNotice error={error} retry={reload} />
      <EventParts key={eventId} loaded={loaded} reload={reload} />
    </section>
  );
}

function EventParts(props: { readonly loaded: EventReading; readonly reload: () => void }) {
  const { loaded, reload } = props;
  const { catalogue, event, history, asOf, tag } = loaded;
  const mayChange = useMayChange(catalogue);
  const isEditing = useSignal(false);
  const last = event ?? history[0]?.event ?? null;
  useTitle(`Event in ${catalogue.name}`);
  const read = useBulletin(catalogue.id, event, asOf);
  const bulletin = read.last?.bulletin ?? null;
  const lines = useMemo(() => (last ? mapLines(bulletin, last) : []), [bulletin, last]);
  if (last === null) return <NoSuchEvent catalogue={catalogue} />;
  const back = new URLSearchParams({ event: last.id, ...(asOf && { asOf }) });
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
      <p class="small">
        <Link href={`/catalogues/${catalogue.id}?${back}`}>{catalogue.name}</Link>
        {asOf !== undefined && (
          <>
            {`, version ${versionName(asOf)} · `}
            <Link href={addressOfEvent(catalogue.id, last.id)}>To the latest</Link>
          </>
        )}
      </p>
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
        <ButtonLink href={`/catalogues/${id}`} text="Back to the catalogue" />
      </Empty>
    </>
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
          <Panel key={title} class="stack" title={title}>
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
          </Panel>
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

type EventHeadProps = { readonly event: SeismicEvent; readonly children: ComponentChildren };

/** Which event it is, its size, time and place with what they are known to, and what can be done with it. */
export function EventHead({ event, children }: EventHeadProps) {
  const { magnitude, magnitude_type, magnitude_uncertainty } = event;
  const [name, sigma] = magnitudeName(magnitude, magnitude_type, magnitude_uncertainty);
  const where = useRegion(event);
  const { depth, depth_type, depth_uncertainty } = event;
  const [km] = measured(depth, depth_uncertainty, "depth");
  const digits = digitsOfPlace(event);
  return (
    <>
      <div class="page-head">
        <h1>
          {name}
          {sigma !== null && <span class="muted margin"> ± {sigma}</span>}
          {where !== null && ` · ${where}`}
        </h1>
        {[event.evaluation_status, event.evaluation_mode].map(
          (value) =>
            value && (
              <span key={value} class="badge">
                {value}
              </span>
            ),
        )}
        <div class="row end">{children}</div>
      </div>
      <div>
        <p>
          <When at={event.time} /> <span class="muted">{toldMargin("time", event)}</span>
        </p>
        <p>
          {latitude(event.latitude, digits)} {longitude(event.longitude, digits)}{" "}
          <span class="muted">{placeMargin(event)}</span> ·{" "}
          {depth === null ? (
            "depth unknown"
          ) : (
            <>
              {km} km deep <span class="muted">{toldMargin("depth", event)}</span>
            </>
          )}
          {depth_type === "operator assigned" && " (fixed)"}
        </p>
        <p class="muted">{reportedBy(event)}</p>
      </div>
    </>
  );
}

/** "Reported by agency us as usp000hvnv". */
function reportedBy({ agency_id, source_id }: SeismicEvent): string {
  if (agency_id && source_id) return `Reported by agency ${agency_id} as ${source_id}`;
  if (agency_id) return `Reported by agency ${agency_id}`;
  return source_id ? `Known as ${source_id}` : "";
}
