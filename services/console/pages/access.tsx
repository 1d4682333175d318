import { useSignal } from "@preact/signals";
import type { CatalogueAccess, Editing, MemberRight } from "#contracts/rights.ts";
import { type AnswerOf, type Catalogue, call, callWithTag, type Tagged } from "../api/call.ts";
import { has, user } from "../api/session.ts";
import { foundAmong, readCandidates } from "../features/people.ts";
import { AccessSelect, READERS } from "../ui/access.tsx";
import { ErrorNotice, useCall, useWrite } from "../ui/call.tsx";
import { ask } from "../ui/form/ask.ts";
import { unlessChanged } from "../ui/form/attempts.ts";
import { bound, Field, Select } from "../ui/form/fields.tsx";
import { check, choice, custom, input, optionsOf, type Shown, useForm } from "../ui/form/form.tsx";
import { SubmitRow } from "../ui/form/submit.tsx";
import { Button, Facts, Frame, isGone, type PageProps, Unread } from "../ui/page.tsx";
import { Table } from "../ui/table.tsx";

type Member = AnswerOf<"GET /api/catalogues/:id/members">["members"][number];

/** Who reads a catalogue, who changes it, and who its members are. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall(id, async (signal) => {
    const input = { params: { id } };
    const [catalogue, { right }] = await Promise.all([
      callWithTag("GET /api/catalogues/:id", input, { signal }),
      call("GET /api/catalogues/:id/right", input, { signal }),
    ]);
    // For owners and administrators alone.
    const members =
      right === "own" ? await call("GET /api/catalogues/:id/members", input, { signal }) : null;
    return { catalogue, members: members?.members ?? null };
  });
  if (answer === null || isGone(error)) {
    return <Unread title="Access and members" error={error} retry={reload} />;
  }
  const { catalogue, members } = answer;
  const { name, access, editing } = catalogue.answer;
  return (
    <Frame title={`Access to ${name}`} back={[`/catalogues/${id}`, "Back to the catalogue"]}>
      <ErrorNotice error={error} retry={reload} />
      {members === null ? (
        <section class="panel">
          <Facts
            facts={[
              ["Who reads it", READERS[access]],
              ["Who changes it", changersOf(access, editing)],
            ]}
          />
          <p class="muted">Its owners and administrators decide this, and see its members.</p>
        </section>
      ) : (
        <div class="sheets">
          <AccessForm key={catalogue.tag} catalogue={catalogue} reload={reload} />
          <MembersPart catalogue={id} members={members} reload={reload} />
        </div>
      )}
    </Frame>
  );
}

/** Who changes a catalogue: of a restricted one only members, whatever its editing. */
function changersOf(access: CatalogueAccess, editing: Editing): string {
  if (editing === "all" && access !== "restricted") return "Every editor changes it.";
  return "Only editors among its members who may edit or own it, and administrators, change it.";
}

const ACCESS_FIELDS = {
  access: custom<CatalogueAccess>("internal", (shown) => <AccessSelect {...shown} />),
  publishHistory: check("The earlier versions too"),
  editing: custom<Editing>("all", () => null),
};

type AccessFormProps = { readonly catalogue: Tagged<Catalogue>; readonly reload: () => void };

/** Who reads a catalogue and who changes it, as its owners decide. */
function AccessForm({ catalogue: { answer: catalogue, tag }, reload }: AccessFormProps) {
  const { id, version } = catalogue;
  const isNewlyPublic = (access: CatalogueAccess) =>
    access === "public" && catalogue.access !== "public";
  const { typed, set, field, ...submission } = useForm({
    fields: ACCESS_FIELDS,
    start: { access: catalogue.access, editing: catalogue.editing },
    of: () => tag,
    run: (options, { access, editing, publishHistory }) => {
      const body = {
        ...(access !== catalogue.access && { access }),
        ...(editing !== catalogue.editing && { editing }),
        ...(isNewlyPublic(access) && publishHistory && { publishHistory }),
      };
      const input = { params: { id }, body };
      const change = call("PATCH /api/catalogues/:id", input, { ...options, ifMatch: tag });
      return unlessChanged(change, reload);
    },
    done: "The new access is in effect.",
    after: reload,
  });
  const { access, editing } = typed.value;
  const isSame = access === catalogue.access && editing === catalogue.editing;
  return (
    <form class="panel" onSubmit={submission.submit}>
      <h2>Who reads and changes it</h2>
      {field("access")}
      {isNewlyPublic(access) && version > 1 && field("publishHistory")}
      <Select
        label="Changed by"
        value={editing}
        onValue={(now) => set({ editing: now })}
        options={optionsOf({ all: "all editors", members: "members" })}
        hint={changersOf(access, editing)}
      />
      <SubmitRow of={submission} text="Save" isDisabled={isSame} />
    </form>
  );
}

/** What a member may do, by his right. */
const RIGHTS: Readonly<Record<MemberRight, string>> = {
  read: "Reads the catalogue.",
  edit: "Reads the catalogue and, with the role of an editor, changes it.",
  own: "Reads and changes the catalogue and, with the role of an editor, decides who else may.",
};
const RIGHT_OPTIONS = optionsOf<MemberRight>({ read: "read", edit: "edit", own: "own" });

type MembersPartProps = {
  readonly catalogue: string;
  readonly members: readonly Member[];
  readonly reload: () => void;
};

/** Who is a member of a catalogue, and what each may do. */
function MembersPart({ catalogue, members, reload }: MembersPartProps) {
  const add = () =>
    ask({
      title: "Add a member",
      action: "Add the member",
      fields: {
        memberId: has("admin")
          ? custom("", (shown) => <Chosen {...shown} />)
          : input({
              label: "Id of the person or group",
              placeholder: "user_…",
              autocomplete: "off",
              required: true,
              hint: "People find their id in their profile; administrators tell those of groups.",
            }),
        right: choice("May", RIGHT_OPTIONS, { hint: (right) => RIGHTS[right] }),
      },
      isReady: ({ memberId }) => memberId.trim() !== "",
      run: (options, { memberId, right }) =>
        call(
          "PUT /api/catalogues/:id/members/:memberId",
          { params: { id: catalogue, memberId }, body: { right } },
          options,
        ),
      done: ({ member }) => `${member.name} is a member.`,
      after: reload,
    });
  const remove = ({ id: memberId, name }: Member) => {
    const isOwn = memberId === user.value?.id;
    ask({
      title: `Remove ${name}`,
      action: isOwn ? "Remove yourself" : "Remove",
      isDanger: true,
      text: `${isOwn ? "You lose" : `${name} loses`} this right at once. Where only members read the catalogue, it is then gone for ${isOwn ? "you" : name}, unless a group still gives the right.`,
      run: (options) =>
        call(
          "DELETE /api/catalogues/:id/members/:memberId",
          { params: { id: catalogue, memberId } },
          options,
        ),
      done: `${name} is no member any more.`,
      after: reload,
    });
  };
  return (
    <section class="panel">
      <div class="row">
        <h2>Members</h2>
        <Button class="small" onClick={add} text="Add a member" />
      </div>
      <Table
        label="Members"
        kind="log folds"
        rows={members}
        empty={{
          title: "It has no members.",
          text: "Administrators decide until it has an owner.",
        }}
        actions={(member) => [["Remove", member.name, () => remove(member)]]}
        columns={[
          [
            "Name",
            ({ id, name }) => (
              <>
                {name} {id === user.value?.id && <span class="badge">you</span>}
              </>
            ),
            "words",
          ],
          ["Kind", ({ kind }) => (kind === "group" ? "group" : "person")],
          ["May", (member) => <RightChoice {...{ catalogue, member, reload }} />],
        ]}
      />
      <p class="hint">
        A right never exceeds a role: viewers can only read, whatever is chosen here. Changes take
        effect at once.
      </p>
    </section>
  );
}

type RightChoiceProps = Omit<MembersPartProps, "members"> & { readonly member: Member };

function RightChoice({ catalogue, member: { id, name, right }, reload }: RightChoiceProps) {
  const { isBusy, write } = useWrite();
  const change = (next: MemberRight) => {
    const input = { params: { id: catalogue, memberId: id }, body: { right: next } };
    write({
      what: input,
      send: (options) => call("PUT /api/catalogues/:id/members/:memberId", input, options),
      done: `${name} may ${next} it now.`,
      reload,
    });
  };
  return (
    <Select
      label={`What ${name} may`}
      hasHiddenLabel
      value={right}
      options={RIGHT_OPTIONS}
      disabled={isBusy.value}
      onValue={change}
    />
  );
}

/** One of all people and groups, whom administrators may list. */
function Chosen({ value, onValue }: Shown<string>) {
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
