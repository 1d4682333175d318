import { useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { Person, useNames } from "../../ui/person.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { UNKNOWN } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { Paging, StatusTabs } from "../../ui/ways.tsx";

type Notification = AnswerOf<"GET /api/notifications">["notifications"][number];

const STATUSES = ["pending", "delivered", "parked", "dropped"] as const;
const PAGE_SIZE = 50;

const TYPES: Readonly<Record<Notification["type"], string>> = {
  password_reset: "link for choosing a password",
  approval_requested: "account to be activated, to an administrator",
  account_activated: "account activated",
  role_request_submitted: "role request, to an administrator",
  role_request_reviewed: "review of a role request",
};

const BADGES: Readonly<Record<Notification["status"], string>> = {
  pending: "badge warning",
  delivered: "badge good",
  parked: "badge bad",
  dropped: "badge",
};

const WORDS: Readonly<Record<Notification["status"], string>> = {
  pending: "waiting",
  delivered: "delivered",
  parked: "not delivered",
  dropped: "given up",
};

export function Page() {
  const [query] = useSearchParams();
  const status = STATUSES.find((known) => known === query.get("status"));
  const before = query.get("before") ?? undefined;
  const list = useCall(query.toString(), (signal) =>
    call("GET /api/notifications", { query: { status, before, limit: PAGE_SIZE } }, { signal }),
  );
  const at = (next: Readonly<Record<string, string>>) =>
    `/notifications?${new URLSearchParams({ ...(status && { status }), ...next })}`;
  useNames();
  const last = list.answer?.notifications.at(PAGE_SIZE - 1);
  return (
    <section class="page">
      <h1>Mails</h1>
      <StatusTabs
        label="Mails by status"
        path="/notifications"
        statuses={STATUSES}
        words={WORDS}
        chosen={status}
      />
      <Answered call={list}>
        {({ notifications }) => (
          <Notifications notifications={notifications} status={status} reload={list.reload} />
        )}
      </Answered>
      <Paging
        label="Pages of the list"
        newest={before ? at({}) : null}
        older={last ? at({ before: last.id }) : null}
      />
    </section>
  );
}

type ListProps = {
  readonly notifications: readonly Notification[];
  readonly status: Notification["status"] | undefined;
  readonly reload: () => void;
};

function Notifications({ notifications, status, reload }: ListProps) {
  if (notifications.length === 0) {
    return (
      <Empty
        title={status ? `There is no such mail: ${WORDS[status]}.` : "There is no mail yet."}
      />
    );
  }
  return (
    <Table
      label="Mails"
      kind="log"
      columns={[
        "Made",
        "Mail",
        "To",
        "Status",
        { number: "Times tried" },
        "What went wrong last",
        { hidden: "Actions" },
      ]}
    >
      {notifications.map((one) => (
        <Row key={one.id} notification={one} reload={reload} />
      ))}
    </Table>
  );
}

type RowProps = { readonly notification: Notification; readonly reload: () => void };

function Row({ notification, reload }: RowProps) {
  const { id, type, status, attempts, last_error, recipient_user_id } = notification;
  const { isBusy, run } = useAction();
  const attempt = useAttempts();
  const retry = () =>
    run(async () => {
      await attempt(id, (idempotencyKey) =>
        call("POST /api/notifications/:id/retry", { params: { id } }, { idempotencyKey }),
      );
      notice.done("The mail will be sent again.");
      reload();
    });
  return (
    <tr>
      <td>
        <Moment at={notification.created_at} />
      </td>
      <td>{TYPES[type]}</td>
      <td>{recipient_user_id === null ? UNKNOWN : <Person id={recipient_user_id} />}</td>
      <td>
        <span class={BADGES[status]}>{WORDS[status]}</span>
      </td>
      <td class="number">{attempts}</td>
      <td class="words">{last_error ?? UNKNOWN}</td>
      <td class="number">
        {status === "parked" && (
          <button type="button" disabled={isBusy.value} onClick={retry}>
            Send again
          </button>
        )}
      </td>
    </tr>
  );
}
