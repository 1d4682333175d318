import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Link, useSearch } from "wouter-preact";
import { addressOf } from "../api/call.ts";
import { changesOfAccount } from "../api/session.ts";
import { share } from "../api/share.ts";
import { BulletinParts } from "../features/bulletin/bulletin-parts.tsx";
import { EventComments } from "../features/bulletin/event-comments.tsx";
import { mapLines } from "../features/bulletin/map-lines.ts";
import { useBulletin } from "../features/bulletin/read-bulletin.ts";
import { VersionOffer } from "../features/catalogue/version-offer.tsx";
import { Attributes } from "../features/event/attributes.tsx";
import { EditButtons, type EventDialog, EventDialogs } from "../features/event/event-dialogs.tsx";
import { EventHead } from "../features/event/event-head.tsx";
import { History } from "../features/event/history.tsx";
import { Mechanisms } from "../features/event/mechanism.tsx";
import type { FocalMechanism } from "../features/event/mechanism-values.ts";
import { Nearby } from "../features/event/nearby.tsx";
import { PartsNav } from "../features/event/parts-nav.tsx";
import { Provenance } from "../features/event/provenance.tsx";
import { type EventReading, readEvent } from "../features/event/read-event.ts";
import { addressOfEvent } from "../model/address-of-event.ts";
import type { PageProps } from "../model/page-route.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { useMayChange } from "../ui/call/use-may-change.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { Empty } from "../ui/empty.tsx";
import { FailedPage } from "../ui/failed-page.tsx";
import { count, versionName } from "../ui/text/format.ts";
import { useTitle } from "../ui/use-title.ts";

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
  const dialog = useSignal<EventDialog | null>(null);
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
        {canEdit && <EditButtons dialog={dialog} />}
      </EventHead>
      {event === null && <RemovedNotice asOf={asOf} version={history[0]?.version ?? 0} />}
      {canEdit && <EventDialogs {...loaded} event={event} dialog={dialog} reload={reload} />}
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

type RemovedNoticeProps = Pick<EventReading, "asOf"> & { readonly version: number };

function RemovedNotice({ asOf, version }: RemovedNoticeProps) {
  return (
    <p class="notice warning">
      {asOf === undefined
        ? `This event was removed by version ${count(version)}; it is shown as it was before.`
        : `This event is not in version ${versionName(asOf)}; it is shown as it was last.`}
    </p>
  );
}
