import { useSignal } from "@preact/signals";
import { useLocation } from "wouter-preact";
import { eventId } from "#contracts/seismic-event/ids.ts";
import { CallError, call, type FieldProblem } from "../api/call.ts";
import { changesOf, EventFields, type EventTexts } from "../features/event/event-fields.tsx";
import { addressOfEvent } from "../model/event-columns.ts";
import { notice } from "../ui/call.tsx";
import { CataloguePage } from "../ui/catalogue-page.tsx";
import { REASON, useForm } from "../ui/form/form.tsx";
import { SubmitRow } from "../ui/form/submit.tsx";
import { useLeaveWarning } from "../ui/form/use-draft.ts";
import type { PageProps } from "../ui/page.tsx";
import { count } from "../ui/text/format.ts";

/** An event that somebody types, for a catalogue. */
export function Page({ params: { id = "" } }: PageProps) {
  return (
    <CataloguePage id={id} title="Add an event" joint=" to " class="page event-page">
      {() => <AddEvent catalogueId={id} />}
    </CataloguePage>
  );
}

/** The service says what is missing. */
type Submitted = {
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly magnitude: number | null;
};

/** A form for an event that no agency or file has; it leads to the event. */
function AddEvent({ catalogueId }: { readonly catalogueId: string }) {
  const typed = useSignal<EventTexts>({});
  const isDone = useSignal(false);
  const [, navigate] = useLocation();
  const event = changesOf({}, typed.value) as Submitted & Record<string, unknown>;
  const { field, ...submission } = useForm({
    fields: { reason: REASON },
    of: () => event,
    run: (options, query) =>
      call(
        "POST /api/catalogues/:id/events",
        { params: { id: catalogueId }, query, body: { events: [event] } },
        options,
      ),
    after: ({ version, newEvents }) => {
      isDone.value = true;
      if (newEvents === 0) {
        notice.done("The catalogue has this event already; nothing is changed.");
        return navigate(`/catalogues/${catalogueId}`);
      }
      notice.done(`The event is added: version ${count(version)}`);
      navigate(addressOfEvent(catalogueId, eventId(catalogueId, version, 0)));
    },
  });
  useLeaveWarning(
    Object.keys(event).length > 0 && !isDone.value,
    "The event is not added yet. Leave the page?",
  );
  const { error } = submission;
  const problems = error.value instanceof CallError ? problemsOf(error.value) : {};
  return (
    <form class="edit-form panel" aria-label="Add an event" onSubmit={submission.submit}>
      <p class="muted">
        Time, latitude and longitude are needed, the rest as far as it is known. Times are in UTC.
      </p>
      <EventFields
        texts={typed.value}
        onText={(name, text) => {
          typed.value = { ...typed.value, [name]: text };
        }}
        problemOf={(name) => problems[name]}
      />
      {field("reason")}
      <SubmitRow
        of={submission}
        text="Add the event"
        isDisabled={Object.keys(event).length === 0}
      />
    </form>
  );
}

type Refusal = { readonly details?: readonly { readonly errors?: readonly FieldProblem[] }[] };

/** What is wrong with the attributes of an event that was submitted alone, and refused. */
function problemsOf({ body, fields }: CallError): Readonly<Record<string, string>> {
  const details = (body as Refusal | null)?.details;
  const ofEvent = Array.isArray(details) ? (details[0]?.errors ?? []) : [];
  return Object.fromEntries([...fields, ...ofEvent].map(({ field, message }) => [field, message]));
}
