import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Group } from "#contracts/http/groups.ts";
import type { Member } from "#contracts/http/members.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, newGroup, type Person, person, restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: Person;
let other: Person;
let admin: ApiClient;
beforeAll(async () => {
  owner = await person(service, "editor");
  other = await person(service, "editor");
  admin = await service.loginAs("admin");
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

  test.each(["user_1_nobody", randomUUID(), "nonsense", "%00", "a".repeat(200)])(
    "cannot be %j, whom nobody knows",
    async (member) => {
      const { id } = await createCatalogue(owner.client);
      expect(await giveRight(owner.client, id, member, "read")).toBe(404);
    },
  );

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
    await giveRight(owner.client, id, group, "own");
    expect((await admin.send("DELETE", path)).status).toBe(409);
    await admin.send("PATCH", `/api/groups/${group}`, { members: [other.id] });
    await admin.send("PATCH", `/api/users/${other.id}`, { is_active: false });
    expect((await admin.send("DELETE", path)).status).toBe(409);
    await admin.send("PATCH", `/api/users/${other.id}`, { is_active: true });
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

  test.each([
    { name: "" },
    { name: "a\nb" },
    { name: "x".repeat(101) },
    { name: "x", members: ["user_1_nobody"] },
    { name: "x", members: ["\0"] },
    {},
  ])("are not made of %j", async (form) => {
    expect((await admin.send("POST", "/api/groups", form)).status).toBe(400);
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
  expect(body.entries.map(({ summary }) => summary)).toEqual(
    [
      'Catalogue "Nobody else\'s" created',
      expect.any(String),
      `Right to edit given to user ${other.id}`,
      "Changes kept to members",
      `Member ${other.id} removed`,
      "Catalogue made internal",
      "Catalogue restricted to its members",
    ].slice(1),
  );
});
