import { useSignal } from "@preact/signals";
import { type AnswerOf, call } from "../../api/call.ts";
import { foundAmong, readPeople } from "../../features/people.ts";
import { Answered, useAnswer, useCall } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import { bound, CheckList, Field } from "../../ui/form/fields.tsx";
import { custom, input, type Shown } from "../../ui/form/form.tsx";
import { Button, Frame } from "../../ui/page.tsx";
import { NamesOfPeople, Person } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";

type Group = AnswerOf<"GET /api/groups">["groups"][number];

export function Page() {
  const found = useAnswer("GET /api/groups", {});
  const { reload } = found;
  return (
    <Frame
      title="Groups"
      head={<Button class="primary" onClick={() => askForGroup(null, reload)} text="New group" />}
      intro="A group can be a member of catalogues: its people then have its right, as far as their roles go. Owners of catalogues name it by its id."
    >
      <NamesOfPeople />
      <Answered call={found}>
        {({ groups }) => (
          <Table
            label="Groups"
            kind="log folds"
            rows={groups}
            empty={{
              title: "There are no groups yet.",
              text: "Make one of the people who work on the same catalogues.",
            }}
            columns={[
              ["Name", ({ name }) => name, "words"],
              ["People", ({ members }) => <People ids={members} />, "words"],
              ["Id", ({ id }) => <span class="code">{id}</span>],
              ["Changed", (group) => <Moment at={group.updated_at} />],
            ]}
            actions={(group) => [
              ["Change", group.name, () => askForGroup(group, reload)],
              ["Delete", group.name, () => askToDelete(group, reload)],
            ]}
          />
        )}
      </Answered>
    </Frame>
  );
}

/** As many as are named. */
const NAMED = 6;

function People({ ids }: { readonly ids: readonly string[] }) {
  if (ids.length === 0) return <span class="muted">nobody</span>;
  return (
    <>
      {ids.slice(0, NAMED).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Person id={id} />
        </span>
      ))}
      {ids.length > NAMED && ` and ${count(ids.length - NAMED)} more`}
    </>
  );
}

function askToDelete({ id, name }: Group, reload: () => void): void {
  ask({
    title: `Delete the group “${name}”`,
    action: "Delete the group",
    isDanger: true,
    text: "Its people lose the rights that they had by it, at once. Their accounts stay.",
    run: (options) => call("DELETE /api/groups/:id", { params: { id } }, options),
    done: `The group “${name}” is deleted.`,
    after: reload,
  });
}

const NOBODY: string[] = [];
const FIELDS = {
  name: input({ label: "Name", autocomplete: "off", required: true }),
  members: custom(NOBODY, (shown) => <PeopleField {...shown} />),
};

/** The name of a group and the people in it. @param group null: a new one */
function askForGroup(group: Group | null, reload: () => void): void {
  ask({
    title: group === null ? "New group" : `The group “${group.name}”`,
    action: group === null ? "Make the group" : "Save",
    fields: FIELDS,
    ...(group && { start: { name: group.name, members: group.members } }),
    run: async (options, body) => {
      if (group === null) await call("POST /api/groups", { body }, options);
      else await call("PATCH /api/groups/:id", { params: { id: group.id }, body }, options);
    },
    done: (_, { name }) => (group === null ? `“${name}” is a group now.` : `“${name}” is saved.`),
    after: reload,
  });
}

function PeopleField({ value, onValue }: Shown<string[]>) {
  const search = useSignal("");
  const people = useCall("people", readPeople);
  return (
    <fieldset class="stack">
      <legend>People ({counted(value.length, "member")})</legend>
      <Field label="Part of the name or address" type="search" {...bound(search)} />
      <Answered call={people}>
        {(all) => (
          <div class="choice-list">
            <CheckList options={foundAmong(all, search.value)} chosen={value} onChosen={onValue} />
          </div>
        )}
      </Answered>
    </fieldset>
  );
}
