import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Group } from "#contracts/http/accounts.ts";
import type { Member } from "#contracts/http/catalogues.ts";
import type { Job } from "#contracts/http/jobs.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { endOf } from "../../support/api/operations.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, newGroup, type Person, person, restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: Person;
let other: Person;
let viewer: Person;
const admin = service.client("admin");
beforeAll(async () => {
  owner = await person(service, "editor");
  other = await person(service, "editor");
  viewer = await person(service, "viewer");
});

async function membersOf(client: ApiClient, catalogue: string): Promise<Member[]> {
  const path = `/api/catalogues/${catalogue}/members`;
  return (await client.get<{ members: Member[] }>(path)).body.members;
}

describe("the members of a catalogue", () => {
  test("begin with whoever made it", async () => {
    const { id } = await createCatalogue(owner.client);
    expect(await membersOf(owner.client, id)).toEqual([
      { id: owner.id, kind: "user", name: "editor", right: "own" },
    ]);
  });

  test("are users and groups, read and set by owners and administrators alone", async () => {
    const { id } = await createCatalogue(owner.client);
    const path = `/api/catalogues/${id}/members`;
    const group = await newGroup(admin, [], "Night shift");
    const set = await owner.client.send("PUT", `${path}/${group}`, { right: "edit" });
    const member = { id: group, kind: "group", name: "Night shift", right: "edit" };
    expect(set).toMatchObject({ status: 200, body: { member } });
    expect(await membersOf(admin, id)).toContainEqual(member);
    expect((await other.client.get(path)).status).toBe(403);
    expect(await giveRight(other.client, id, other.id, "own")).toBe(403);
    expect((await owner.client.send("DELETE", `${path}/${group}`)).body).toEqual({ success: true });
    expect((await owner.client.send("DELETE", `${path}/${group}`)).status).toBe(404);
  });

  test("cannot be whom nobody knows", async () => {
    const { id } = await createCatalogue(owner.client);
    for (const member of ["user_1_nobody", randomUUID(), "nonsense", "%00", "a".repeat(200)])
      expect(await giveRight(owner.client, id, member, "read"), member).toBe(404);
  });

  test("go with their accounts and groups", async () => {
    const { id } = await restricted(owner.client);
    const gone = await person(service, "viewer");
    const group = await newGroup(admin, []);
    await giveRight(owner.client, id, gone.id, "read");
    await giveRight(owner.client, id, group, "read");
    await admin.send("DELETE", `/api/users/${gone.id}`);
    await admin.send("DELETE", `/api/groups/${group}`);
    expect((await membersOf(owner.client, id)).map((one) => one.id)).toEqual([owner.id]);
  });
});

describe("the last owner", () => {
  test("stays, and goes once there is another", async () => {
    const { id } = await createCatalogue(owner.client);
    const path = `/api/catalogues/${id}/members`;
    expect(await giveRight(owner.client, id, owner.id, "edit")).toBe(409);
    expect((await admin.send("DELETE", `${path}/${owner.id}`)).status).toBe(409);
    await giveRight(owner.client, id, other.id, "own");
    expect((await owner.client.send("DELETE", `${path}/${owner.id}`)).status).toBe(200);
    expect((await owner.client.get(path)).status).toBe(403);
  });

  test("may be a group while it has an active user", async () => {
    const { id } = await createCatalogue(owner.client);
    const path = `/api/catalogues/${id}/members/${owner.id}`;
    const group = await newGroup(admin, []);
    const { id: member } = await person(service, "editor");
    await giveRight(owner.client, id, group, "own");
    expect((await admin.send("DELETE", path)).status).toBe(409);
    await admin.send("PATCH", `/api/groups/${group}`, { members: [member] });
    await admin.send("PATCH", `/api/users/${member}`, { is_active: false });
    expect((await admin.send("DELETE", path)).status).toBe(409);
    await admin.send("PATCH", `/api/users/${member}`, { is_active: true });
    expect((await admin.send("DELETE", path)).status).toBe(200);
  });

  test("may be deleted as a user: then administrators manage the catalogue", async () => {
    const made = await person(service, "editor");
    const { id } = await restricted(made.client);
    await admin.send("DELETE", `/api/users/${made.id}`);
    expect(await membersOf(admin, id)).toEqual([]);
    expect(await giveRight(admin, id, owner.id, "own")).toBe(200);
    expect((await owner.client.get(`/api/catalogues/${id}/events`)).status).toBe(200);
  });
});

describe("groups", () => {
  test("are made, listed, changed and deleted by administrators", async () => {
    const name = `group ${randomUUID()}`;
    const made = await admin.send<{ group: Group }>("POST", "/api/groups", {
      name: ` ${name} `,
      members: [owner.id, owner.id],
    });
    expect(made).toMatchObject({ status: 201, body: { group: { name, members: [owner.id] } } });
    const { id } = made.body.group;
    const listed = await admin.get<{ groups: Group[] }>("/api/groups");
    expect(listed.body.groups).toContainEqual(made.body.group);
    const changed = await admin.send("PATCH", `/api/groups/${id}`, { name: `${name} 2` });
    expect(changed).toMatchObject({
      status: 200,
      body: { group: { name: `${name} 2`, members: [owner.id] } },
    });
    expect((await admin.send("DELETE", `/api/groups/${id}`)).body).toEqual({ success: true });
    for (const answer of [
      await admin.get(`/api/groups/${id}`),
      await admin.send("PATCH", `/api/groups/${id}`, { name: "x" }),
      await admin.send("DELETE", `/api/groups/${id}`),
    ]) {
      expect(answer.status).toBe(404);
    }
  });

  test("are not made of names of two lines, nor of users whom nobody knows", async () => {
    for (const form of [
      { name: "" },
      { name: "a\nb" },
      { name: "x", members: ["user_1_nobody"] },
      { name: "x", members: ["\0"] },
    ]) {
      expect((await admin.send("POST", "/api/groups", form)).status).toBe(400);
    }
  });

  test("lose users that are deleted", async () => {
    const gone = await person(service, "viewer");
    const id = await newGroup(admin, [gone.id, owner.id]);
    await admin.send("DELETE", `/api/users/${gone.id}`);
    const { body } = await admin.get<{ group: Group }>(`/api/groups/${id}`);
    expect(body.group.members).toEqual([owner.id]);
  });
});

test("the audit tells of access, members and groups in words", async () => {
  const { id } = await restricted(owner.client);
  await giveRight(owner.client, id, other.id, "edit");
  await owner.client.send("PATCH", `/api/catalogues/${id}`, { editing: "members" });
  await owner.client.send("DELETE", `/api/catalogues/${id}/members/${other.id}`);
  await owner.client.send("PATCH", `/api/catalogues/${id}`, { access: "internal" });
  await owner.client.send("PATCH", `/api/catalogues/${id}`, { access: "restricted" });
  type Audit = { entries: { type: string; summary: string }[] };
  const { body } = await admin.get<Audit>(`/api/audit?catalogueId=${id}&deeds=true`);
  expect(body.entries.map(({ summary }) => summary)).toEqual([
    expect.any(String),
    `Right to edit given to user ${other.id}`,
    "Changes kept to members",
    `Member ${other.id} removed`,
    "Catalogue made internal",
    "Catalogue restricted to its members",
  ]);
});

const setGroup = (group: string, members: readonly string[]) =>
  admin.send("PATCH", `/api/groups/${group}`, { members });
const deleteGroup = (group: string) => admin.send("DELETE", `/api/groups/${group}`);
const removeOwner = (id: string) =>
  admin.send("DELETE", `/api/catalogues/${id}/members/${owner.id}`);

/** A catalogue that a group of users alone owns. */
async function ownedByGroup(members: readonly string[]) {
  const name = `Owned ${randomUUID()}`;
  const { id } = await restricted(owner.client, { name });
  const group = await newGroup(admin, members);
  await giveRight(owner.client, id, group, "own");
  expect((await removeOwner(id)).status).toBe(200);
  return { id, group, name };
}

describe("a group that is the last owner", () => {
  test("stays, and keeps somebody who may own", async () => {
    const { id, group, name } = await ownedByGroup([other.id, viewer.id]);
    for (const members of [[], [viewer.id]]) {
      expectRefusal(await setGroup(group, members), "CONFLICT", name);
    }
    expectRefusal(await deleteGroup(group), "CONFLICT", name);
    expect((await other.client.get(`/api/catalogues/${id}/members`)).status).toBe(200);
  });

  test("is renamed, and given others", async () => {
    const { group } = await ownedByGroup([other.id]);
    const renamed = await admin.send("PATCH", `/api/groups/${group}`, { name: "Renamed" });
    expect(renamed.status).toBe(200);
    expect((await setGroup(group, [owner.id])).status).toBe(200);
  });

  test("goes once there is another, who stays then", async () => {
    const { id, group } = await ownedByGroup([other.id]);
    await giveRight(admin, id, owner.id, "own");
    expect((await deleteGroup(group)).status).toBe(200);
    expectRefusal(await removeOwner(id), "CONFLICT");
  });

  test("goes where nobody of it may own: administrators manage the catalogue", async () => {
    const gone = await person(service, "editor");
    const { group } = await ownedByGroup([gone.id, viewer.id]);
    await admin.send("DELETE", `/api/users/${gone.id}`);
    expect((await setGroup(group, [])).status).toBe(200);
    expect((await deleteGroup(group)).status).toBe(200);
  });

  test("names no catalogue to an access token that is for others", async () => {
    const { group, name } = await ownedByGroup([other.id]);
    const { client } = await person(service, "admin");
    const { id } = await createCatalogue(client);
    const { secret } = await newAccessToken(client, { scopes: ["admin"], catalogues: [id] });
    const script = createApiClient(service.url, secret);
    const answer = await script.send("DELETE", `/api/groups/${group}`);
    expectRefusal(answer, "CONFLICT");
    expect(JSON.stringify(answer.body)).not.toContain(name);
  });
});

describe("of two owners who go at once", () => {
  const statuses = (answers: readonly ApiAnswer[]) => answers.map(({ status }) => status).sort();

  test("one stays: a group that is deleted and a user", async () => {
    const { id } = await createCatalogue(owner.client);
    const group = await newGroup(admin, [other.id]);
    await giveRight(owner.client, id, group, "own");
    expect(statuses(await Promise.all([deleteGroup(group), removeOwner(id)]))).toEqual([200, 409]);
  });

  test("one stays: two groups that lose their users", async () => {
    const { id, group } = await ownedByGroup([other.id]);
    const second = await newGroup(admin, [other.id]);
    await giveRight(admin, id, second, "own");
    const both = [setGroup(group, []), setGroup(second, [viewer.id])];
    expect(statuses(await Promise.all(both))).toEqual([200, 409]);
  });
});

test("a viewer with the right to own is no owner beside the last one, and one as an editor", async () => {
  const { id, client } = await person(service, "viewer");
  const catalogue = (await createCatalogue(owner.client)).id;
  expect(await giveRight(owner.client, catalogue, id, "own")).toBe(200);
  expect((await client.get(`/api/catalogues/${catalogue}/members`)).status).toBe(403);
  expectRefusal(await removeOwner(catalogue), "CONFLICT");
  expect(await giveRight(owner.client, catalogue, owner.id, "edit")).toBe(409);
  const group = await newGroup(admin, [id]);
  await giveRight(owner.client, catalogue, group, "own");
  expectRefusal(await removeOwner(catalogue), "CONFLICT");
  await admin.send("PATCH", `/api/users/${id}`, { role: "editor" });
  expect((await removeOwner(catalogue)).status).toBe(200);
});

/** Takes the right of somebody who made a catalogue away. */
async function takeOver(id: string): Promise<void> {
  await giveRight(other.client, id, owner.id, "own");
  await owner.client.send("DELETE", `/api/catalogues/${id}/members/${other.id}`);
}

describe("whoever has lost the right to a catalogue", () => {
  test("is not told of it by operations of his own", async () => {
    type Started = { operationId: string };
    const body = { name: "x", events: [seismicEvent()], access: "restricted" };
    const started = await other.client.send<Started>("POST", "/api/catalogues", body, {
      prefer: "respond-async",
    });
    const job = await endOf(other.client, started.body.operationId);
    const id = String(job.result?.["id"]);
    const listed = async () =>
      (await other.client.get<{ operations: Job[] }>("/api/operations")).body.operations;
    expect((await listed()).map((one) => one.id)).toContain(job.id);
    await takeOver(id);
    expect((await listed()).map((one) => one.id)).not.toContain(job.id);
    const unknown = randomUUID();
    for (const path of ["", "/stream"]) {
      const answer = await other.client.get(`/api/operations/${job.id}${path}`);
      const expected = await other.client.get(`/api/operations/${unknown}${path}`);
      expect([answer.status, answer.body]).toEqual([expected.status, expected.body]);
    }
    expect((await admin.get(`/api/operations/${job.id}`)).status).toBe(200);
  });

  test("is not told of it by the repetition of a request", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const body = { name: "x", events: [seismicEvent()], access: "restricted" };
    const create = () =>
      other.client.send<{ id: string }>("POST", "/api/catalogues", body, headers);
    const { id } = (await create()).body;
    expect((await create()).body.id).toBe(id);
    const change = { "idempotency-key": randomUUID() };
    const rename = () => other.client.send("PATCH", `/api/catalogues/${id}`, { name: "y" }, change);
    expect((await rename()).status).toBe(200);
    await takeOver(id);
    for (const again of [await create(), await rename()]) {
      expect(again).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
    }
  });

  test("is answered as before by the key of a deletion", async () => {
    const { id } = await restricted(owner.client);
    const headers = { "idempotency-key": randomUUID() };
    const remove = () => owner.client.send("DELETE", `/api/catalogues/${id}`, undefined, headers);
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(200);
  });
});

test("of a catalogue that was restricted when it was deleted only administrators see the versions", async () => {
  const { id } = await restricted(owner.client);
  const open = (await createCatalogue(owner.client)).id;
  for (const one of [id, open]) await owner.client.send("DELETE", `/api/catalogues/${one}`);
  const seen = async (client: ApiClient, one: string) =>
    (await client.get(`/api/catalogues/${one}/versions/1`)).status;
  expect(await seen(other.client, open)).toBe(410);
  expect(await seen(other.client, id)).toBe(404);
  expect(await seen(await service.loginAs("guest"), id)).toBe(404);
  expect(await seen(admin, id)).toBe(410);
});
