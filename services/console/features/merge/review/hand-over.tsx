import { useSignal } from "@preact/signals";
import { callForAll } from "../../../api/call-for-all.ts";
import { user } from "../../../api/session.ts";
import { Answered } from "../../../ui/call/answered.tsx";
import { ErrorNotice } from "../../../ui/call/error-notice.tsx";
import { useCall } from "../../../ui/call/use-call.ts";
import { bound } from "../../../ui/form/bound.ts";
import { Dialog } from "../../../ui/form/dialog.tsx";
import { Select } from "../../../ui/form/select.tsx";
import { SubmitRow } from "../../../ui/form/submit-row.tsx";
import { useSubmit } from "../../../ui/form/use-submit.ts";
import type { ReviewPair } from "./queue.ts";
import type { Desk } from "./use-desk.ts";

type HandOverProps = {
  readonly catalogue: string;
  readonly pair: ReviewPair;
  readonly desk: Desk;
  readonly onClose: () => void;
};

/** Gives a pair to somebody else; for administrators, who alone know the accounts. */
export function HandOver({ catalogue, pair, desk, onClose }: HandOverProps) {
  const chosen = useSignal("");
  const people = useCall(catalogue, async (signal) => {
    const { users } = (await callForAll("GET /api/users", {}, { signal })).answer;
    return users.filter(({ id, role }) => role !== "viewer" && id !== user.value?.id);
  });
  const { submit, isBusy, error } = useSubmit(async () => {
    await desk.put(pair.id, { claim: chosen.value });
    onClose();
    desk.move(1);
  });
  return (
    <Dialog title="Hand the pair over" onClose={onClose}>
      <p class="muted">
        Nobody else decides it until that person has, or leaves it for a quarter of an hour.
      </p>
      <Answered call={people}>
        {(users) => (
          <form onSubmit={submit}>
            <Select
              label="To"
              {...bound(chosen)}
              options={[
                { value: "", text: "Choose…" },
                ...users.map(({ id, name, email }) => ({ value: id, text: `${name} (${email})` })),
              ]}
            />
            <ErrorNotice error={error.value} />
            <SubmitRow
              text="Hand over"
              isDisabled={isBusy.value || chosen.value === ""}
              onCancel={onClose}
            />
          </form>
        )}
      </Answered>
    </Dialog>
  );
}
