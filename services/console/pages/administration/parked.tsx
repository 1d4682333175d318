import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { eventName, Subject } from "../../features/deeds.tsx";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { useNames } from "../../ui/person.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";

type Parked = AnswerOf<"GET /api/parked-events">["parked"][number];

export function Page() {
  const listed = useCall("parked", (signal) => call("GET /api/parked-events", {}, { signal }));
  const retried = useSignal<Parked | null>(null);
  useNames();
  return (
    <section class="page">
      <h1>Changes that failed</h1>
      <p class="muted">
        When a change cannot be applied to the lists that people see, its catalogue or account
        stands still there, and every later change waits behind it. Nothing is lost: once the cause
        is mended, apply them again.
      </p>
      <Answered call={listed}>
        {({ parked }) => <List parked={parked} onRetry={(one) => (retried.value = one)} />}
      </Answered>
      {retried.value && (
        <Retry
          parked={retried.value}
          reload={listed.reload}
          onClose={() => (retried.value = null)}
        />
      )}
    </section>
  );
}

type ListProps = {
  readonly parked: readonly Parked[];
  readonly onRetry: (one: Parked) => void;
};

function List({ parked, onRetry }: ListProps) {
  if (parked.length === 0) {
    return <Empty title="Nothing stands still: every change is applied." />;
  }
  return (
    <Table
      label="Changes that failed"
      kind="log"
      columns={[
        "What stands still",
        "Change",
        "What went wrong",
        { number: "Waiting" },
        "Since",
        { hidden: "Actions" },
      ]}
    >
      {parked.map((one) => (
        <tr key={one.id}>
          <td>
            <Subject subject={one.subject} isNamed />
          </td>
          <td>
            {eventName(one.type)}
            <div class="muted small">
              {one.projection}, {one.stream} at {one.revision}
            </div>
          </td>
          <td class="words">{one.error}</td>
          <td class="number">{count(one.waiting)}</td>
          <td>
            <Moment at={one.parked_at} />
          </td>
          <td class="number nowrap">
            <button type="button" onClick={() => onRetry(one)}>
              Apply again…
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}

type RetryProps = {
  readonly parked: Parked;
  readonly reload: () => void;
  readonly onClose: () => void;
};

function Retry({ parked: { id, type, waiting }, reload, onClose }: RetryProps) {
  const retry = async (idempotencyKey: string) => {
    const { applied } = await call(
      "POST /api/parked-events/:id/retry",
      { params: { id } },
      { idempotencyKey },
    );
    notice.done(`${count(applied)} ${applied === 1 ? "change is" : "changes are"} applied.`);
    reload();
  };
  return (
    <ConfirmDialog title="Apply them again" action="Apply" run={retry} onClose={onClose}>
      <p>
        This change ({eventName(type)}) and the {count(waiting)}{" "}
        {waiting === 1 ? "change" : "changes"} waiting behind it are applied, all of them or none.
        If the cause is still there, everything stays as it is.
      </p>
    </ConfirmDialog>
  );
}
