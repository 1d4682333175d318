import { useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { call, callForAll, type RoleRequest } from "../../api/call.ts";
import { RequestText } from "../../features/account/role-request.tsx";
import { Answered, useCall, useWrite } from "../../ui/call.tsx";
import { bound, TextArea } from "../../ui/form/fields.tsx";
import { Button, Empty, Frame, StatusTabs } from "../../ui/page.tsx";
import { aRole } from "../../ui/text/roles.ts";

const STATUSES = ["pending", "approved", "rejected"] as const;

export function Page() {
  const [query] = useSearchParams();
  const status = STATUSES.find((known) => known === query.get("status"));
  const requests = useCall(status ?? "", (signal) =>
    callForAll("GET /api/role-requests", { query: { status } }, { signal }),
  );
  return (
    <Frame title="Role requests">
      <StatusTabs
        label="Requests by status"
        path="/role-requests"
        statuses={STATUSES}
        chosen={status}
      />
      <Answered call={requests}>
        {({ answer }) =>
          answer.requests.length === 0 ? (
            <Empty
              title={status ? `No request is ${status}.` : "Nobody has asked for another role yet."}
              text="People ask for a role in their profile; you get a mail, and decide here."
            />
          ) : (
            <div class="sheets">
              {answer.requests.map((request) => (
                <article
                  key={request.id}
                  class="panel"
                  aria-label={`Request of ${request.user_name}`}
                >
                  <p>
                    <Link href={`/admin/users?search=${encodeURIComponent(request.user_email)}`}>
                      {request.user_name}
                    </Link>{" "}
                    <span class="muted">{request.user_email}</span>
                  </p>
                  <RequestText request={request} />
                  {request.status === "pending" && (
                    <Review request={request} reload={requests.reload} />
                  )}
                </article>
              ))}
            </div>
          )
        }
      </Answered>
    </Frame>
  );
}

/** Answers a request, with a note. */
function Review(props: { readonly request: RoleRequest; readonly reload: () => void }) {
  const { request, reload } = props;
  const note = useSignal("");
  const { isBusy, write } = useWrite();
  const review = (status: "approved" | "rejected") => {
    const input = {
      params: { id: request.id },
      body: { status, adminNotes: note.value.trim() || null },
    };
    write({
      what: input,
      send: (options) => call("PATCH /api/role-requests/:id", input, options),
      done:
        status === "approved"
          ? `${request.user_name} is now ${aRole(request.requested_role)}.`
          : `The request of ${request.user_name} is rejected.`,
      reload,
    });
  };
  return (
    <div class="stack">
      <TextArea label="Note to the requester" max={1_000} rows={2} {...bound(note)} />
      <div class="row">
        {ANSWERS.map(({ status, text, kind }) => (
          <Button
            key={status}
            class={kind}
            disabled={isBusy.value}
            onClick={() => review(status)}
            text={text}
          />
        ))}
      </div>
    </div>
  );
}

const ANSWERS = [
  { status: "approved", text: "Approve", kind: "primary" },
  { status: "rejected", text: "Reject", kind: "danger" },
] as const;
