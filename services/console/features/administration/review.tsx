import { type Signal, useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import type { RoleRequest } from "../../model/role-request.ts";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { bound } from "../../ui/form/bound.ts";
import { TextArea } from "../../ui/form/text-area.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { aRole } from "../../ui/text/roles.ts";

type ReviewProps = { readonly request: RoleRequest; readonly reload: () => void };

/** Answers a request, with a note. */
export function Review({ request, reload }: ReviewProps) {
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
