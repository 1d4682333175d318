import { useSignal } from "@preact/signals";
import type { MemberRight } from "#contracts/catalogue-rights.ts";
import { call } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { bound } from "../../ui/form/bound.ts";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { foundAmong, readCandidates } from "./people.ts";
import { RIGHT_OPTIONS, RIGHTS } from "./words.ts";

type AddMemberProps = {
  readonly catalogue: string;
  readonly reload: () => void;
  readonly onClose: () => void;
};

/** Makes a person or a group a member of a catalogue. */
export function AddMember({ catalogue, reload, onClose }: AddMemberProps) {
  const memberId = useSignal("");
  const right = useSignal<MemberRight>("read");
  const attempt = useAttempts();
  const { submit, error, isBusy } = useSubmit(async () => {
    const params = { id: catalogue, memberId: memberId.value.trim() };
    const body = { right: right.value };
    const { member } = await attempt({ params, body }, (idempotencyKey) =>
      call("PUT /api/catalogues/:id/members/:memberId", { params, body }, { idempotencyKey }),
    );
    notice.done(`${member.name} is a member.`);
    reload();
    onClose();
  });
  return (
    <Dialog title="Add a member" onClose={onClose}>
      <form onSubmit={submit}>
        {has("admin") ? (
          <Chosen {...bound(memberId)} />
        ) : (
          <Field
            label="Id of the person or group"
            placeholder="user_…"
            autocomplete="off"
            required
            {...bound(memberId)}
            hint="People find their id in their profile; administrators tell those of groups."
          />
        )}
        <Select label="May" {...bound(right)} options={RIGHT_OPTIONS} hint={RIGHTS[right.value]} />
        <ErrorNotice error={error.value} />
        <SubmitRow
          text="Add the member"
          isDisabled={isBusy.value || memberId.value.trim() === ""}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

type ChosenProps = { readonly value: string; readonly onValue: (id: string) => void };

/** One of all people and groups, whom administrators may list. */
function Chosen({ value, onValue }: ChosenProps) {
  const search = useSignal("");
  const { answer, error, reload } = useCall("candidates", readCandidates);
  const found = foundAmong(answer ?? [], search.value);
  const options = found.map(({ id, text }) => ({ value: id, text }));
  return (
    <>
      <Field
        label="Part of the name or address"
        type="search"
        {...bound(search)}
        {...(answer && found.length === 0 && { hint: "Nobody has this in the name or address." })}
      />
      <ErrorNotice error={error} retry={reload} />
      <Select
        label="Person or group"
        value={found.some(({ id }) => id === value) ? value : ""}
        options={[{ value: "", text: "Choose…" }, ...options]}
        onValue={onValue}
      />
    </>
  );
}
