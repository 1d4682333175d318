import { Link } from "wouter-preact";
import { call } from "../../../api/call.ts";
import { CallError } from "../../../api/call-error.ts";
import { addressOfEvent } from "../../../model/address-of-event.ts";
import { useCall } from "../../../ui/call/use-call.ts";
import { Actor } from "../../../ui/person.tsx";
import { magnitudeName } from "../../../ui/text/digits.ts";
import { Moment, UtcTime } from "../../../ui/text/moment.tsx";
import { type MergedFrom, nameOf, type ShownDecision } from "./merged.ts";

type DecisionRowProps = {
  readonly decision: ShownDecision;
  readonly sources: readonly MergedFrom[];
  readonly onWithdraw?: () => void;
};

/** A decision: what it says of which events, and who made it. */
export function DecisionRow({ decision, sources, onWithdraw }: DecisionRowProps) {
  const { type, events, note, actor, at, idle } = decision;
  return (
    <tr>
      <td class="nowrap">
        <span class="row">
          {type === "same" ? "same earthquake" : "different"}
          {idle && <span class="badge warning">idle</span>}
        </span>
      </td>
      <td>
        <ul class="decided-events">
          {events.map((event, index) => (
            <li key={event.event_id ?? index}>
              <DecidedEvent event={event} sources={sources} />
            </li>
          ))}
        </ul>
      </td>
      <td>{note}</td>
      <td>{actor === null ? "a guest" : <Actor id={actor} />}</td>
      <td>
        <Moment at={at} />
      </td>
      {onWithdraw && (
        <td>
          <button type="button" class="small" onClick={onWithdraw}>
            Withdraw…
          </button>
        </td>
      )}
    </tr>
  );
}

type DecidedEventProps = {
  readonly event: ShownDecision["events"][number];
  readonly sources: readonly MergedFrom[];
};

/** An event of a source by its time and magnitude; of one that is gone, its id. */
function DecidedEvent({ event: { catalogue_id, event_id }, sources }: DecidedEventProps) {
  if (catalogue_id === null || event_id === null) {
    return <span class="muted">an event that is not yours to see</span>;
  }
  const source = sources.find(({ id }) => id === catalogue_id);
  return (
    <>
      {source && nameOf(source)} <Named catalogue={catalogue_id} event={event_id} />
    </>
  );
}

type NamedProps = { readonly catalogue: string; readonly event: string };

function Named({ catalogue, event }: NamedProps) {
  const params = { id: catalogue, eventId: event };
  const { answer, error } = useCall(`${catalogue} ${event}`, (signal) =>
    call("GET /api/catalogues/:id/events/:eventId", { params }, { signal }),
  );
  const isGone = error instanceof CallError && error.status === 404;
  if (isGone) return <span class="muted">{event.slice(0, 8)}, which is gone</span>;
  const [magnitude] = answer
    ? magnitudeName(answer.event.magnitude, answer.event.magnitude_type)
    : [""];
  return (
    <Link class="nowrap" href={addressOfEvent(catalogue, event)}>
      {answer ? <UtcTime at={answer.event.time} length={19} /> : event.slice(0, 8)} {magnitude}
    </Link>
  );
}
