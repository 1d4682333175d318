import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { addressOf } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { VersionOffer } from "../features/catalogue/version-offer.tsx";
import { Attributes } from "../features/event/attributes.tsx";
import { DeleteEvent } from "../features/event/delete-event.tsx";
import { EditEvent } from "../features/event/edit-event.tsx";
import { EventHead } from "../features/event/event-head.tsx";
import type { Given } from "../features/event/given-mechanism.ts";
import { History } from "../features/event/history.tsx";
import { MechanismPart } from "../features/event/mechanism.tsx";
import { Nearby } from "../features/event/nearby.tsx";
import { Provenance } from "../features/event/provenance.tsx";
import { type FoundEvent, readEvent } from "../features/event/read-event.ts";
import { addressOfEvent } from "../model/address-of-event.ts";
import type { PageProps } from "../model/page-route.ts";
import { ErrorNotice } from "../ui/call/error-notice.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Waiting } from "../ui/call/waiting.tsx";
import { count, versionName } from "../ui/text/format.ts";

/** One event: what is known of it, how it came to be so, and what is near. */
export function Page({ params: { id = "", eventId = "" } }: PageProps) {
  const asOf = new URLSearchParams(useSearch()).get("asOf") ?? undefined;
  const { last, error, reload } = useCall(
    `${id} ${eventId} ${asOf} ${changesOfAccount.value}`,
    (signal) => readEvent(id, eventId, asOf, signal),
  );
  const found = last?.eventId === eventId ? last : null;
  const failed = error.value !== null && <ErrorNotice error={error.value} retry={reload} />;
  // A page that is there stays, with what is typed in it, when reading it anew fails.
  if (found !== null) {
    return (
      <section class="page event-page">
        {failed}
        <EventParts key={eventId} found={found} reload={reload} />
      </section>
    );
  }
  if (failed === false) return <Waiting />;
  return (
    <section class="page">
      <h1>Event</h1>
      {failed}
      <p>
        <Link href={`/catalogues/${id}`}>To the catalogue</Link>
      </p>
    </section>
  );
}

type EventPartsProps = { readonly found: FoundEvent; readonly reload: () => void };

function EventParts({ found, reload }: EventPartsProps) {
  const { catalogue, event, tag, history, asOf } = found;
  const asked = useSignal<"edit" | "delete" | null>(null);
  const [, navigate] = useLocation();
  const last = event ?? history[0]?.event ?? null;
  useEffect(() => {
    document.title = `Event in ${catalogue.name} · Earthquake catalogues`;
  }, [catalogue.name]);
  if (last === null) {
    return (
      <>
        <h1>Event</h1>
        <p>
          There is no such event in{" "}
          <Link href={`/catalogues/${catalogue.id}`}>{catalogue.name}</Link>.
        </p>
      </>
    );
  }
  const close = () => {
    asked.value = null;
  };
  const canEdit = has("editor") && event !== null && asOf === undefined;
  const inCatalogue = new URLSearchParams({ event: last.id, ...(asOf && { asOf }) });
  const mechanisms = (last.focal_mechanisms ?? []) as readonly Given[];
  return (
    <>
      <p class="small">
        <Link href={`/catalogues/${catalogue.id}?${inCatalogue}`}>{catalogue.name}</Link>
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
            href={addressOf("GET /api/catalogues/:id/events/:eventId", {
              params: { id: catalogue.id, eventId: event.id },
              query: { asOf },
            })}
          >
            Raw JSON
          </a>
        )}
        {canEdit && (
          <>
            <button type="button" onClick={() => (asked.value = "edit")}>
              Edit…
            </button>
            <button type="button" class="danger" onClick={() => (asked.value = "delete")}>
              Delete…
            </button>
          </>
        )}
      </EventHead>
      {event === null && (
        <p class="notice warning">
          {asOf === undefined
            ? `This event was removed by version ${count(history[0]?.version ?? 0)}; it is shown as it was before.`
            : `This event is not in version ${versionName(asOf)}; it is shown as it was last.`}
        </p>
      )}
      {canEdit && asked.value === "edit" && (
        <EditEvent
          catalogue={catalogue}
          event={event}
          tag={tag}
          onDone={() => {
            close();
            reload();
          }}
          onClose={close}
        />
      )}
      {canEdit && asked.value === "delete" && (
        <DeleteEvent
          catalogue={catalogue}
          event={event}
          tag={tag}
          onDone={() => navigate(`/catalogues/${catalogue.id}`)}
          onConflict={reload}
          onClose={close}
        />
      )}
      <div class="event-parts">
        <Nearby key={`${last.id} ${asOf}`} catalogue={catalogue} event={last} asOf={asOf} />
        <Attributes event={last} />
      </div>
      {mechanisms.length > 0 && (
        <section class="stack">
          <h2>Mechanism</h2>
          {mechanisms.map((given, i) => (
            <MechanismPart key={i} given={given} />
          ))}
        </section>
      )}
      {last.source_events && <Provenance sources={last.source_events} />}
      <History catalogue={catalogue} eventId={last.id} history={history} />
    </>
  );
}
