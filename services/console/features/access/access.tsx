import { useSignal } from "@preact/signals";
import type { CatalogueAccess, Editing, MemberRight } from "#contracts/rights.ts";
import { CallError, call, type Tagged } from "../../api/call.ts";
import { has, user } from "../../api/session.ts";
import type { AnswerOf, Catalogue } from "../../model/operation-types.ts";
import { AccessSelect } from "../../ui/access.tsx";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAction } from "../../ui/call/use-action.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { useAttempts } from "../../ui/form/attempts.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { bound, Field } from "../../ui/form/field.tsx";
import { Checkbox, Select } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { foundAmong, readCandidates } from "./people.ts";

type AccessFormProps = {
  readonly catalogue: Tagged<Catalogue>;
  readonly reload: () => void;
};

/** Who reads a catalogue and who changes it, as its owners decide. */
export function AccessForm({ catalogue: { answer: catalogue, tag }, reload }: AccessFormProps) {
  const { id, version } = catalogue;
  const access = useSignal<CatalogueAccess>(catalogue.access);
  const editing = useSignal<Editing>(catalogue.editing);
  const withHistory = useSignal(false);
  const attempt = useAttempts();
  const isPublished = access.value === "public" && catalogue.access !== "public";
  const isSame = access.value === catalogue.access && editing.value === catalogue.editing;
  const { submit, error, isBusy } = useSubmit(async () => {
    const body = {
      ...(access.value !== catalogue.access && { access: access.value }),
      ...(editing.value !== catalogue.editing && { editing: editing.value }),
      ...(isPublished && withHistory.value && { publishHistory: true }),
    };
    try {
      await attempt({ body, tag }, (idempotencyKey) =>
        call(
          "PATCH /api/catalogues/:id",
          { params: { id }, body },
          { idempotencyKey, ifMatch: tag },
        ),
      );
    } catch (reason) {
      if (reason instanceof CallError && reason.status === 412) reload();
      throw reason;
    }
    notice.done("The new access is in effect.");
    reload();
  });
  return (
    <form class="panel" onSubmit={submit}>
      <h2>Who reads and changes it</h2>
      <AccessSelect {...bound(access)} />
      {isPublished && version > 1 && (
        <Checkbox
          checked={withHistory.value}
          onChecked={(isChecked) => (withHistory.value = isChecked)}
        >
          The earlier versions too
        </Checkbox>
      )}
      <Select
        label="Changed by"
        {...bound(editing)}
        options={CHANGER_OPTIONS}
        hint={changersOf(access.value, editing.value)}
      />
      <ErrorNotice error={error.value} />
      <SubmitRow text="Save" isDisabled={isSame || isBusy.value} />
    </form>
  );
}

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

/** Who changes a catalogue: of a restricted one only members, whatever its editing. */
export function changersOf(access: CatalogueAccess, editing: Editing): string {
  if (editing === "all" && access !== "restricted") return "Every editor changes it.";
  return "Only editors among its members who may edit or own it, and administrators, change it.";
}

const CHANGER_OPTIONS: readonly { readonly value: Editing; readonly text: string }[] = [
  { value: "all", text: "all editors" },
  { value: "members", text: "members" },
];

/** What a member may do, by his right. */
const RIGHTS: Readonly<Record<MemberRight, string>> = {
  read: "Reads the catalogue.",
  edit: "Reads the catalogue and, with the role of an editor, changes it.",
  own: "Reads and changes the catalogue and, with the role of an editor, decides who else may.",
};

const RIGHT_OPTIONS = (Object.keys(RIGHTS) as MemberRight[]).map((right) => ({
  value: right,
  text: right,
}));
