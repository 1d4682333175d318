import { useSearchParams } from "wouter-preact";
import { type AnswerOf, call } from "../../api/call.ts";
import { Answered, useAnswer, useWrite } from "../../ui/call.tsx";
import { Button, Frame, Paging, StatusTabs } from "../../ui/page.tsx";
import { Person, useNames } from "../../ui/person.tsx";
import { type Columns, Table } from "../../ui/table.tsx";
import { UNKNOWN } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";

type Notification = AnswerOf<"GET /api/notifications">["notifications"][number];

const STATUSES = ["pending", "delivered", "parked", "dropped"] as const;
const PAGE_SIZE = 50;

const TYPES: Readonly<Record<Notification["type"], string>> = {
  password_reset: "link for choosing a password",
  approval_requested: "account to be activated, to an administrator",
  account_activated: "account activated",
  role_request_submitted: "role request, to an administrator",
  alert_confirmation: "address of an alert",
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
  const asked = { status, before, limit: PAGE_SIZE };
  const list = useAnswer("GET /api/notifications", { query: asked });
  const at = (next: Readonly<Record<string, string>>) =>
    `/notifications?${new URLSearchParams({ ...(status && { status }), ...next })}`;
  useNames();
  const last = list.answer?.notifications.at(PAGE_SIZE - 1);
  return (
    <Frame title="Mails">
      <StatusTabs
        label="Mails by status"
        path="/notifications"
        statuses={STATUSES}
        words={WORDS}
        chosen={status}
      />
      <Answered call={list}>
        {({ notifications }) => (
          <Table
            label="Mails"
            kind="log"
            rows={notifications}
            empty={{
              title: status ? `There is no such mail: ${WORDS[status]}.` : "There is no mail yet.",
            }}
            columns={[
              ...COLUMNS,
              [
                "Actions",
                ({ id, status }) =>
                  status === "parked" && <SendAgain id={id} reload={list.reload} />,
                "number",
                "hidden",
              ],
            ]}
          />
        )}
      </Answered>
      <Paging
        label="Pages of the list"
        newest={before ? at({}) : null}
        older={last ? at({ before: last.id }) : null}
      />
    </Frame>
  );
}

const COLUMNS: Columns<Notification> = [
  ["Made", (one) => <Moment at={one.created_at} />],
  ["Mail", ({ type }) => TYPES[type]],
  ["To", ({ recipient_user_id: id }) => (id === null ? UNKNOWN : <Person id={id} />)],
  ["Status", ({ status }) => <span class={BADGES[status]}>{WORDS[status]}</span>],
  ["Times tried", ({ attempts }) => attempts, "number"],
  ["What went wrong last", (one) => one.last_error ?? UNKNOWN, "words"],
];

function SendAgain({ id, reload }: { readonly id: string; readonly reload: () => void }) {
  const { isBusy, write } = useWrite();
  const retry = () =>
    write({
      send: (options) => call("POST /api/notifications/:id/retry", { params: { id } }, options),
      done: "The mail will be sent again.",
      reload,
    });
  return <Button disabled={isBusy.value} onClick={retry} text="Send again" />;
}
