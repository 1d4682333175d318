import { Link } from "wouter-preact";
import { call } from "../api/call.ts";
import { AddEvent } from "../features/event/add-event.tsx";
import type { PageProps } from "../model/page-route.ts";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";

/** An event that somebody types, for a catalogue. */
export function Page({ params: { id = "" } }: PageProps) {
  const loaded = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  return (
    <section class="page event-page">
      <div class="page-head">
        <h1>Add an event{loaded.answer && ` to ${loaded.answer.name}`}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <Answered call={loaded}>{() => <AddEvent catalogueId={id} />}</Answered>
    </section>
  );
}
