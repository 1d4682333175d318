import { useSignal } from "@preact/signals";
import type { MemberRight } from "#contracts/rights.ts";
import { call } from "../../api/call.ts";
import { has, user } from "../../api/session.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { Empty } from "../../ui/empty.tsx";
import { bound } from "../../ui/form/bound.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { Table } from "../../ui/table.tsx";
import { foundAmong, readCandidates } from "./people.ts";
import { RIGHT_OPTIONS, RIGHTS } from "./words.ts";

type Member = AnswerOf<"GET /api/catalogues/:id/members">["members"][number];

type MembersPartProps = {
  readonly catalogue: string;
  readonly members: readonly Member[];
  readonly reload: () => void;
};

/** Who is a member of a catalogue, and what each may do. */
export function MembersPart({ catalogue, members, reload }: MembersPartProps) {
  const leaving = useSignal<Member | null>(null);
  const isAdding = useSignal(false);
  return (
    <section class="panel">
      <div class="row">
        <h2>Members</h2>
        <button type="button" class="small" onClick={() => (isAdding.value = true)}>
          Add a member
        </button>
      </div>
      {members.length === 0 ? (
        <Empty title="It has no members." text="Administrators decide until it has an owner." />
      ) : (
        <Table
          label="Members"
          kind="log folds"
          columns={["Name", "Kind", "May", { hidden: "Actions" }]}
        >
          {members.map((member) => (
            <MemberRow
              key={member.id}
              catalogue={catalogue}
              member={member}
              reload={reload}
              onRemove={() => (leaving.value = member)}
            />
          ))}
        </Table>
      )}
      <p class="hint">
        A right never exceeds a role: viewers can only read, whatever is chosen here. Changes take
        effect at once.
      </p>
      {isAdding.value && (
        <AddMember catalogue={catalogue} reload={reload} onClose={() => (isAdding.value = false)} />
      )}
      {leaving.value && (
        <RemoveMember
          catalogue={catalogue}
          member={leaving.value}
          reload={reload}
          onClose={() => (leaving.value = null)}
        />
      )}
    </section>
  );
}

type MemberRowProps = {
  readonly catalogue: string;
  readonly member: Member;
  readonly reload: () => void;
  readonly onRemove: () => void;
};

function MemberRow({ catalogue, member, reload, onRemove }: MemberRowProps) {
  const { id, kind, name, right } = member;
  const { isBusy, run } = useAction();
  const attempt = useAttempts();
  const change = (next: MemberRight) =>
    run(async () => {
      const params = { id: catalogue, memberId: id };
      const body = { right: next };
      await attempt(body, (idempotencyKey) =>
        call("PUT /api/catalogues/:id/members/:memberId", { params, body }, { idempotencyKey }),
      ).finally(reload);
      notice.done(`${name} may ${next} it now.`);
    });
  return (
    <tr>
      <td class="words">
        {name} {id === user.value?.id && <span class="badge">you</span>}
      </td>
      <td>{kind === "group" ? "group" : "person"}</td>
      <td>
        <Select
          label={`What ${name} may`}
          hasHiddenLabel
          value={right}
          options={RIGHT_OPTIONS}
          disabled={isBusy.value}
          onValue={change}
        />
      </td>
      <td class="number">
        <button type="button" aria-label={`Remove ${name}…`} onClick={onRemove}>
          Remove…
        </button>
      </td>
    </tr>
  );
}

type RemoveMemberProps = Omit<MemberRowProps, "onRemove"> & { readonly onClose: () => void };

function RemoveMember({ catalogue, member, reload, onClose }: RemoveMemberProps) {
  const { id, name } = member;
  const isOwn = id === user.value?.id;
  const remove = async (idempotencyKey: string) => {
    const params = { id: catalogue, memberId: id };
    await call("DELETE /api/catalogues/:id/members/:memberId", { params }, { idempotencyKey });
    notice.done(`${name} is no member any more.`);
    reload();
  };
  return (
    <ConfirmDialog
      title={`Remove ${name}`}
      action={isOwn ? "Remove yourself" : "Remove"}
      isDanger
      run={remove}
      onClose={onClose}
    >
      <p>
        {isOwn ? "You lose" : `${name} loses`} this right at once. Where only members read the
        catalogue, it is then gone for {isOwn ? "you" : name}, unless a group still gives the right.
      </p>
    </ConfirmDialog>
  );
}

type AddMemberProps = {
  readonly catalogue: string;
  readonly reload: () => void;
  readonly onClose: () => void;
};

/** Makes a person or a group a member of a catalogue. */
function AddMember({ catalogue, reload, onClose }: AddMemberProps) {
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
