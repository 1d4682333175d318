import { beforeAll, expect, test } from "vitest";
import { addressesOf, catalogueActOf, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { MATRIX, type Row, type Subjects } from "../../support/api/matrix.ts";
import { call, newSubjects, spends } from "../../support/api/subjects.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, type Person, person } from "./rights-scene.ts";

const service = sharedService();
let editor: ApiClient;
let member: Person;
beforeAll(async () => {
  editor = await service.loginAs("editor");
  member = await person(service, "editor");
});

const names = Object.keys(operations) as (keyof typeof operations)[];

/** What it does with a catalogue, as its address, its body or the schedule of its address names it. */
function actsOf(operation: Operation): readonly string[] {
  const ofAddresses = addressesOf(operation).map((address) => catalogueActOf(operation, address));
  const isOfSchedule =
    operation.path.startsWith("/api/schedules/:id") && operation.method !== "GET";
  const acts = [...ofAddresses, ...Object.values(operation.names ?? {})];
  return acts.flatMap((act) => act ?? []).concat(isOfSchedule ? ["change"] : []);
}

const changing = names.filter((name) => actsOf(operations[name]).includes("change"));
const owning = names.filter((name) => actsOf(operations[name]).includes("own"));

/** What the matrix is about, or one operation of it, restricted, with a member who has a right. */
async function restrictedSubjects(right: "read" | "edit", request?: Row["request"]) {
  const subjects = await newSubjects(service, request);
  for (const id of new Set([subjects.catalogue, subjects.otherCatalogue, subjects.merge])) {
    if (id === "") continue;
    await editor.send("PATCH", `/api/catalogues/${id}`, { access: "restricted" });
    expect(await giveRight(editor, id, member.id, right)).toBe(200);
  }
  return subjects;
}

function requestOf(name: keyof typeof operations): Row["request"] {
  const { request } = MATRIX[name];
  if (name !== "importEvents") return request;
  // The matrix imports into a new catalogue.
  return ({ catalogue }: Subjects) => [
    "POST",
    "/api/import/agency",
    { catalogueId: catalogue, hours: 1 },
  ];
}

test("an editor who may only read a restricted catalogue is refused each change of it", async () => {
  const subjects = await restrictedSubjects("read");
  for (const name of [...changing, ...owning]) {
    const { status, body } = await call(member.client, requestOf(name)(subjects));
    expect([name, status, body]).toMatchObject([name, 403, { code: "FORBIDDEN" }]);
  }
});

test("an editor who may edit a restricted catalogue is allowed each change of it", async () => {
  const shared = await restrictedSubjects("edit");
  // An import asks an agency, which nobody reaches here.
  for (const name of changing.filter((one) => one !== "importEvents")) {
    const { request, success } = MATRIX[name];
    const subjects = spends(name) ? await restrictedSubjects("edit", request) : shared;
    const { status, body } = await call(member.client, request(subjects));
    expect([name, status, body]).toEqual([name, success, body]);
  }
});
