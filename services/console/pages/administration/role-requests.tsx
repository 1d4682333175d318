import { type Signal, useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { callForAll } from "../../api/call-for-all.ts";
import { RequestText } from "../../features/account/role-request.tsx";
import type { RoleRequest } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { bound } from "../../ui/form/field.tsx";
import { TextArea } from "../../ui/form/inputs.tsx";
import { Empty } from "../../ui/states.tsx";
import { aRole } from "../../ui/text/roles.ts";
import { StatusTabs } from "../../ui/ways.tsx";

const STATUSES = ["pending", "approved", "rejected"] as const;
type Status = (typeof STATUSES)[number];

export function Page() {
  const [query] = useSearchParams();
  const status = STATUSES.find((known) => known === query.get("status"));
  const requests = useCall(status ?? "", (signal) =>
    callForAll("GET /api/role-requests", { query: { status } }, { signal }),
  );
  return (
    <section class="page">
      <h1>Role requests</h1>
      <StatusTabs
        label="Requests by status"
        path="/role-requests"
        statuses={STATUSES}
        chosen={status}
      />
      <Answered call={requests}>
        {({ answer }) => (
          <Requests requests={answer.requests} status={status} reload={requests.reload} />
        )}
      </Answered>
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
      <Empty
        title={status ? `No request is ${status}.` : "Nobody has asked for another role yet."}
        text="People ask for a role in their profile; you get a mail, and decide here."
      />
    );
  }
  return (
    <div class="sheets">
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
    </div>
  );
}

type ReviewProps = { readonly request: RoleRequest; readonly reload: () => void };

/** Answers a request, with a note. */
function Review({ request, reload }: ReviewProps) {
  const note = useSignal("");
  const { isBusy, review } = useReview({ request, reload }, note);
  return (
    <div class="stack">
      <TextArea label="Note to the requester" max={1_000} rows={2} {...bound(note)} />
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

function useReview({ request, reload }: ReviewProps, note: Signal<string>) {
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
  return { isBusy, review };
}
