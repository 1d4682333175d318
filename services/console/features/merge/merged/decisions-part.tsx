import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { call } from "../../../api/call.ts";
import { has } from "../../../api/session.ts";
import { addressOfEvent } from "../../../model/event-columns.ts";
import { useAnswer } from "../../../ui/call.tsx";
import { ask } from "../../../ui/form/ask.ts";
import { Segmented } from "../../../ui/form/fields.tsx";
import { Button, Empty, isGone, Turning } from "../../../ui/page.tsx";
import { Actor, NamesOfPeople } from "../../../ui/person.tsx";
import { Table } from "../../../ui/table.tsx";
import { count, magnitudeName } from "../../../ui/text/format.ts";
import { Moment, UtcTime } from "../../../ui/text/moment.tsx";
import { type MergedFrom, nameOf, type ShownDecision } from "./merged.tsx";

/** Rows of a page: each asks for its events. */
const SHOWN = 20;

const KINDS = ["all", "same", "different", "idle"] as const;
type Kind = (typeof KINDS)[number];

const isOf: Readonly<Record<Kind, (decision: ShownDecision) => boolean>> = {
  all: () => true,
  same: ({ type }) => type === "same",
  different: ({ type }) => type === "different",
  idle: ({ idle }) => idle,
};

type DecisionsPartProps = {
  readonly catalogue: string;
  readonly decisions: readonly ShownDecision[];
  readonly sources: readonly MergedFrom[];
  readonly mayChange: boolean;
  readonly reload: () => void;
};

/** What people have decided of a merge's pairs: who, when and why; the newest first. */
export function DecisionsPart(props: DecisionsPartProps) {
  const { catalogue, decisions, sources, mayChange, reload } = props;
  const kind = useSignal<Kind>("all");
  const page = useSignal(0);
  if (decisions.length === 0) {
    return (
      <Empty
        title="Nothing is decided by hand"
        text="All pairs are as the thresholds have them. What you decide on the review desk, on an event’s page or in a merge’s preview stands here, with who decided it and when."
      />
    );
  }
  const listed = decisions.filter(isOf[kind.value]).toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const from = page.value * SHOWN;
  const withdraw = ({ id: decisionId }: ShownDecision) =>
    ask({
      title: "Withdraw the decision",
      text: "From the next refresh on, these events are what the thresholds make of them. The record of changes keeps that it was decided.",
      action: "Withdraw",
      run: (options) =>
        call(
          "DELETE /api/catalogues/:id/merge/decisions/:decisionId",
          { params: { id: catalogue, decisionId } },
          options,
        ),
      done: "The decision is withdrawn",
      after: reload,
    });
  return (
    <section class="stack" aria-label="Decisions">
      {has("admin") && <NamesOfPeople />}
      <Segmented
        legend="Decisions that are listed"
        hasHiddenLegend
        value={kind.value}
        options={KINDS.map((value) => ({
          value,
          text: `${value} (${count(decisions.filter(isOf[value]).length)})`,
        }))}
        onValue={(value) => {
          kind.value = value;
          page.value = 0;
        }}
      />
      {kind.value === "idle" && (
        <p class="muted">
          Idle ones change nothing now, because an event is gone or another decision says the
          opposite. They are kept, and hold again when the events are back.
        </p>
      )}
      <Table
        label="Decisions, a row each"
        kind="compact folds"
        rows={listed.slice(from, from + SHOWN)}
        columns={[
          [
            "Decision",
            ({ type, idle }) => (
              <span class="row">
                {type === "same" ? "same earthquake" : "different"}
                {idle && <span class="badge warning">idle</span>}
              </span>
            ),
            "nowrap",
          ],
          [
            "Events",
            ({ events }) => (
              <ul class="decided-events">
                {events.map((event, index) => (
                  <li key={event.event_id ?? index}>
                    <DecidedEvent event={event} sources={sources} />
                  </li>
                ))}
              </ul>
            ),
          ],
          ["Why", ({ note }) => note],
          ["By", ({ actor }) => (actor === null ? "a guest" : <Actor id={actor} />)],
          ["When", ({ at }) => <Moment at={at} />],
          mayChange && {
            head: "Action",
            isHidden: true,
            cell: (decision) => (
              <Button class="small" onClick={() => withdraw(decision)} text="Withdraw…" />
            ),
          },
        ]}
      />
      <Turning
        label="Pages of decisions"
        page={page}
        size={SHOWN}
        total={listed.length}
        words={["Newer", "Older"]}
      />
    </section>
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

function Named({ catalogue, event }: { readonly catalogue: string; readonly event: string }) {
  const params = { id: catalogue, eventId: event };
  const { answer, error } = useAnswer("GET /api/catalogues/:id/events/:eventId", { params });
  if (isGone(error)) return <span class="muted">{event.slice(0, 8)}, which is gone</span>;
  const [magnitude] = answer
    ? magnitudeName(answer.event.magnitude, answer.event.magnitude_type)
    : [""];
  return (
    <Link class="nowrap" href={addressOfEvent(catalogue, event)}>
      {answer ? <UtcTime at={answer.event.time} length={19} /> : event.slice(0, 8)} {magnitude}
    </Link>
  );
}
