import { expect, test } from "vitest";
import { ERRORS } from "#contracts/errors.ts";
import { EXAMPLE, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { newAccount, newEmail, PASSWORD } from "../../support/api/accounts.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { MATRIX, type Row, type Subjects } from "../../support/api/matrix.ts";
import { call, newSubjects, spends } from "../../support/api/subjects.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

const examples = (Object.values(operations) as Operation[]).flatMap(({ id, body, example }) =>
  example === undefined
    ? []
    : [{ id: id as keyof typeof MATRIX, isForm: body === "file", example }],
);

/** What the example is answered where that of the matrix is another: no agency can be reached, the decision's events are there. */
const ANSWERS: Partial<Record<keyof typeof MATRIX, number>> = {
  importEvents: ERRORS.AGENCY_UNAVAILABLE.status,
  makeDecision: 201,
};

/** New addresses for what makes accounts, whose subjects have theirs already. */
const MAKES_ACCOUNT: ReadonlySet<string> = new Set(["register", "createUser"]);

type Json = Record<string, unknown>;
type Named = Exclude<keyof typeof EXAMPLE, "otherEvent" | `${string}assword` | "setupCode">;

/** The example as a reader would send it: with what there is in the place of what its names stand for. */
async function bodyOf(text: string, subjects: Subjects, isNew: boolean): Promise<Json> {
  const admin = await service.loginAs("admin");
  type Events = { events: { id: string }[] };
  const path = `/api/catalogues/${subjects.otherCatalogue}/events`;
  const others = text.includes(EXAMPLE.otherEvent) ? (await admin.get<Events>(path)).body : null;
  const real: Record<keyof typeof EXAMPLE, string> = {
    ...subjects,
    email: isNew ? newEmail() : subjects.email,
    otherEvent: others?.events[0]?.id ?? "",
    password: PASSWORD,
    newPassword: EXAMPLE.newPassword,
    setupCode: EXAMPLE.setupCode,
  };
  const names = Object.keys(EXAMPLE) as (keyof typeof EXAMPLE)[];
  return JSON.parse(names.reduce((sent, name) => sent.replaceAll(EXAMPLE[name], real[name]), text));
}

function formOf({ file, ...fields }: Json): FormData {
  return fileForm(String(file), { fields: fields as Record<string, string> });
}

async function callerOf({ level }: Row): Promise<ApiClient> {
  if (level !== "viewer") return service.loginAs("admin");
  return (await (await newAccount(service, "viewer")).signIn()).client;
}

/** A solution is preferred of those that the event has. */
async function giveBulletin({ catalogue, event }: Subjects): Promise<void> {
  const path = `/api/catalogues/${catalogue}/events/${event}/bulletin`;
  const admin = await service.loginAs("admin");
  const { status } = await admin.send("PUT", path, operations.setBulletin.example);
  expect(status).toBe(200);
}

test("the documented example of each operation is a body that the service takes", async () => {
  const shared = await newSubjects(service);
  for (const { id, isForm, example } of examples) {
    const row: Row = MATRIX[id];
    const text = JSON.stringify(example);
    const named = (Object.keys(EXAMPLE) as Named[]).filter((name) => text.includes(EXAMPLE[name]));
    const request: Row["request"] = (some) => {
      for (const name of named) void some[name];
      return row.request(some);
    };
    const subjects = spends(id) ? await newSubjects(service, request) : shared;
    if (id === "preferSolutions") await giveBulletin(subjects);
    const body = await bodyOf(text, subjects, MAKES_ACCOUNT.has(id));
    const [method, path] = row.request(subjects);
    const sent = isForm ? formOf(body) : body;
    const answer = await call(await callerOf(row), [method, path, sent]);
    expect(answer.status, `${id}: ${JSON.stringify(answer.body)}`).toBe(ANSWERS[id] ?? row.success);
    // Answers tell what of a body was not known.
    expect(answer.body, id).not.toHaveProperty(["warnings", 0]);
  }
});
