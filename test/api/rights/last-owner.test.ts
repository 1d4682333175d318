import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiAnswer, type ApiClient, createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, newGroup, type Person, person, restricted } from "./rights-scene.ts";

const service = sharedService();
let owner: Person;
let other: Person;
let viewer: Person;
let admin: ApiClient;
beforeAll(async () => {
  owner = await person(service, "editor");
  other = await person(service, "editor");
  viewer = await person(service, "viewer");
  admin = await service.loginAs("admin");
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
