import { beforeAll, describe, expect, test } from "vitest";
import { addressesOf, catalogueActOf, type Operation } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { MATRIX } from "../access/matrix/matrix.ts";
import type { Row, Subjects } from "../access/matrix/row.ts";
import { call, newSubjects } from "../access/subjects.ts";
import { expectRefusal } from "../support/refusal.ts";
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

/** What an operation of the matrix is about, restricted, with a member who has a right. */
async function restrictedSubjects(request: Row["request"], right: "read" | "edit") {
  const subjects = await newSubjects(service, request);
  for (const id of new Set([subjects.catalogue, subjects.otherCatalogue, subjects.merge])) {
    if (id === "") continue;
    await editor.send("PATCH", `/api/catalogues/${id}`, { access: "restricted" });
    expect(await giveRight(editor, id, member.id, right)).toBe(200);
  }
  return subjects;
}

function requestOf(name: keyof typeof operations): Row["request"] {
  const { request }: Row = MATRIX[name];
  if (name !== "importEvents") return request;
  // The matrix imports into a new catalogue.
  return ({ catalogue }: Subjects) => [
    "POST",
    "/api/import/agency",
    { catalogueId: catalogue, hours: 1 },
  ];
}

describe("an editor who may only read a restricted catalogue", () => {
  test.each([...changing, ...owning])("is refused %s", async (name) => {
    const request = requestOf(name);
    const subjects = await restrictedSubjects(request, "read");
    expectRefusal(await call(member.client, request(subjects)), "FORBIDDEN");
  });
});

describe("an editor who may edit a restricted catalogue", () => {
  // An import asks an agency, which nobody reaches here.
  test.each(changing.filter((name) => name !== "importEvents"))("is allowed %s", async (name) => {
    const { request, success }: Row = MATRIX[name];
    const subjects = await restrictedSubjects(request, "edit");
    expect((await call(member.client, request(subjects))).status).toBe(success);
  });
});
