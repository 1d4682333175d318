import { useSignal } from "@preact/signals";
import { call } from "../../../api/call.ts";
import { has } from "../../../api/session.ts";
import { notice } from "../../../ui/call/notices.tsx";
import { Empty } from "../../../ui/empty.tsx";
import { ConfirmDialog } from "../../../ui/form/confirm-dialog.tsx";
import { Segmented } from "../../../ui/form/segmented.tsx";
import { NamesOfPeople } from "../../../ui/person.tsx";
import { Table } from "../../../ui/table.tsx";
import { count } from "../../../ui/text/format.ts";
import { DecisionRow } from "./decision-row.tsx";
import type { MergedFrom, ShownDecision } from "./merged.ts";

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
