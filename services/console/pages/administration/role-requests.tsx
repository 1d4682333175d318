import { Link, useSearchParams } from "wouter-preact";
import { callForAll } from "../../api/call-for-all.ts";
import { RequestText } from "../../features/account/role-request.tsx";
import { Review } from "../../features/administration/review.tsx";
import type { RoleRequest } from "../../model/role-request.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Empty } from "../../ui/empty.tsx";
import { StatusTabs } from "../../ui/status-tabs.tsx";

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
