import { useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { callForAll } from "../../api/call-for-all.ts";
import { RequestText, type RoleRequest } from "../../features/account/role-request.tsx";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import { TextArea } from "../../ui/form/text-area.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { StatusTabs } from "../../ui/status-tabs.tsx";
import { aRole } from "../../ui/text/roles.ts";

const STATUSES = ["pending", "approved", "rejected"] as const;
type Status = (typeof STATUSES)[number];

export function Page() {
  const [query] = useSearchParams();
  const status = STATUSES.find((known) => known === query.get("status"));
  const { answer, error, reload } = useCall(status ?? "", (signal) =>
    callForAll("GET /api/role-requests", { query: { status } }, { signal }),
  );
  return (
    <section class="page middle">
      <h1>Role requests</h1>
      <StatusTabs
        label="Requests by status"
        path="/role-requests"
        statuses={STATUSES}
        chosen={status}
      />
      {error.value !== null && <ErrorNotice error={error.value} retry={reload} />}
      {answer.value === null ? (
        error.value === null && <Waiting />
      ) : (
        <Requests requests={answer.value.answer.requests} status={status} reload={reload} />
      )}
    </section>
  );
}

type RequestsProps = {
  readonly requests: readonly RoleRequest[];
  readonly status: Status | undefined;
  readonly reload: () => void;
};

function Requests({ requests, status, reload }: RequestsProps) {
  if (requests.length === 0) {
    return (
      <div class="empty">
        <p>{status ? `No request is ${status}.` : "Nobody has asked for another role yet."}</p>
      </div>
    );
  }
  return (
    <>
      {requests.map((request) => (
        <article key={request.id} class="panel" aria-label={`Request of ${request.user_name}`}>
          <p>
            <Link href={`/admin/users?search=${encodeURIComponent(request.user_email)}`}>
              {request.user_name}
            </Link>{" "}
            <span class="muted">{request.user_email}</span>
          </p>
          <RequestText request={request} />
          {request.status === "pending" && <Review request={request} reload={reload} />}
        </article>
      ))}
    </>
  );
}

type ReviewProps = { readonly request: RoleRequest; readonly reload: () => void };

function Review({ request, reload }: ReviewProps) {
  const note = useSignal("");
  const { isBusy, run } = useAction();
  const attempt = useAttempts();
  const review = (status: "approved" | "rejected") =>
    run(
      async () => {
        const body = { status, adminNotes: note.value.trim() || null };
        await attempt(body, (idempotencyKey) =>
          call(
            "PATCH /api/role-requests/:id",
            { params: { id: request.id }, body },
            { idempotencyKey },
          ),
        );
        notice.done(
          status === "approved"
            ? `${request.user_name} is now ${aRole(request.requested_role)}.`
            : `The request of ${request.user_name} is rejected.`,
        );
        reload();
      },
      (error) => {
        notice.error(error);
        reload();
      },
    );
  return (
    <div class="stack">
      <TextArea
        label="Note to the requester"
        max={1_000}
        rows={2}
        value={note.value}
        onValue={(value) => {
          note.value = value;
        }}
      />
      <div class="row">
        <button
          type="button"
          class="primary"
          disabled={isBusy.value}
          onClick={() => review("approved")}
        >
          Approve
        </button>
        <button
          type="button"
          class="danger"
          disabled={isBusy.value}
          onClick={() => review("rejected")}
        >
          Reject
        </button>
      </div>
    </div>
  );
}
