import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import { AddEvent } from "../features/event/add-event.tsx";
import type { PageProps } from "../model/page-route.ts";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { FailedPage } from "../ui/failed-page.tsx";

/** An event that somebody types, for a catalogue. */
export function Page({ params: { id = "" } }: PageProps) {
  const loaded = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  const { answer, error, reload } = loaded;
  if (answer === null && error !== null) {
    return <FailedPage title="Add an event" error={error} retry={reload} />;
  }
  return (
    <section class="page event-page">
      <div class="page-head">
        <h1>Add an event{answer && ` to ${answer.name}`}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <Answered call={loaded}>{() => <AddEvent catalogueId={id} />}</Answered>
    </section>
  );
}
