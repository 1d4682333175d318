import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { CallError, call } from "../../../api/call.ts";
import { has } from "../../../api/session.ts";
import { addressOfEvent } from "../../../model/page-route.ts";
import { notice } from "../../../ui/call/notices.tsx";
import { useCall } from "../../../ui/call/use-call.ts";
import { ConfirmDialog } from "../../../ui/form/confirm-dialog.tsx";
import { Segmented } from "../../../ui/form/segmented.tsx";
import { Actor, NamesOfPeople } from "../../../ui/person.tsx";
import { Empty } from "../../../ui/states.tsx";
import { Table } from "../../../ui/table.tsx";
import { magnitudeName } from "../../../ui/text/digits.ts";
import { count } from "../../../ui/text/format.ts";
import { Moment, UtcTime } from "../../../ui/text/moment.tsx";
import { type MergedFrom, nameOf, type ShownDecision } from "./merged.tsx";

/** Rows of a page: each asks for its events. */
const SHOWN = 20;

type Kind = "all" | "same" | "different" | "idle";

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
  const withdrawn = useSignal<ShownDecision | null>(null);
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
  const option = (value: Kind, text: string) => ({
    value,
    text: `${text} (${count(decisions.filter(isOf[value]).length)})`,
  });
  return (
    <section class="stack" aria-label="Decisions">
      {has("admin") && <NamesOfPeople />}
      <Segmented
        legend="Decisions that are listed"
        hasHiddenLegend
        value={kind.value}
        options={[
          option("all", "all"),
          option("same", "same"),
          option("different", "different"),
          option("idle", "idle"),
        ]}
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
        columns={["Decision", "Events", "Why", "By", "When", mayChange && { hidden: "Action" }]}
      >
        {listed.slice(from, from + SHOWN).map((decision) => (
          <DecisionRow
            key={decision.id}
            decision={decision}
            sources={sources}
            {...(mayChange && { onWithdraw: () => (withdrawn.value = decision) })}
          />
        ))}
      </Table>
      {listed.length > SHOWN && (
        <nav class="row" aria-label="Pages of decisions">
          <button type="button" disabled={from === 0} onClick={() => page.value--}>
            Newer
          </button>
          <button
            type="button"
            disabled={from + SHOWN >= listed.length}
            onClick={() => page.value++}
          >
            Older
          </button>
          <span class="muted">
            {count(from + 1)} to {count(Math.min(listed.length, from + SHOWN))} of{" "}
            {count(listed.length)}
          </span>
        </nav>
      )}
      {withdrawn.value && (
        <Withdraw
          catalogue={catalogue}
          decision={withdrawn.value}
          onDone={reload}
          onClose={() => (withdrawn.value = null)}
        />
      )}
    </section>
  );
}

type WithdrawProps = {
  readonly catalogue: string;
  readonly decision: ShownDecision;
  readonly onDone: () => void;
  readonly onClose: () => void;
};

function Withdraw({ catalogue, decision, onDone, onClose }: WithdrawProps) {
  const withdraw = async (idempotencyKey: string) => {
    const params = { id: catalogue, decisionId: decision.id };
    await call(
      "DELETE /api/catalogues/:id/merge/decisions/:decisionId",
      { params },
      { idempotencyKey },
    );
    notice.done("The decision is withdrawn");
    onDone();
  };
  return (
    <ConfirmDialog
      title="Withdraw the decision"
      action="Withdraw"
      of={decision.id}
      run={withdraw}
      onClose={onClose}
    >
      <p>
        From the next refresh on, these events are what the thresholds make of them. The record of
        changes keeps that it was decided.
      </p>
    </ConfirmDialog>
  );
}

type DecisionRowProps = {
  readonly decision: ShownDecision;
  readonly sources: readonly MergedFrom[];
  readonly onWithdraw?: () => void;
};

/** A decision: what it says of which events, and who made it. */
function DecisionRow({ decision, sources, onWithdraw }: DecisionRowProps) {
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
