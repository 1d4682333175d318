import { expect, test } from "vitest";
import { createVisitor } from "../../support/openid/start-institute.ts";
import { newPerson, useInstitute } from "./use-institute.ts";

const scene = useInstitute({
  OIDC_ROLES: "admin=seismology-admins, editor=analysts, editor=cn=staff",
});
const { service, signIn, session } = scene;

async function roleOf(groups: unknown, sub?: string): Promise<unknown> {
  const visitor = createVisitor();
  await signIn(newPerson({ groups, ...(sub !== undefined && { sub }) }), visitor);
  return (await session(visitor))?.["role"];
}

test.each([
  [["analysts"], "editor"],
  [["others", "cn=staff"], "editor"],
  ["analysts", "editor"],
  [["analysts", "seismology-admins"], "admin"],
  [["ANALYSTS"], "viewer"],
  [[], "viewer"],
  [undefined, "viewer"],
  [{ analysts: true }, "viewer"],
])("a person with the groups %j is %s", async (groups, role) => {
  expect(await roleOf(groups)).toBe(role);
});

test("the role follows the groups at each sign-in, also in sessions that are there, and the audit says why", async () => {
  const person = newPerson({ groups: ["analysts"] });
  const visitor = createVisitor();
  await signIn(person, visitor);
  await signIn({ ...person, groups: [] });
  const user = await session(visitor);
  expect(user).toMatchObject({ role: "viewer" });
  const admin = await service.loginAs("admin");
  const { body } = await admin.get<{ entries: unknown[] }>(
    `/api/audit?subject=user-${user?.["id"]}&type=UserRoleChanged`,
  );
  expect(body.entries).toMatchObject([
    { actor: "system", summary: "Role changed to viewer, as the groups at the institute say" },
  ]);
});

test("a role that an administrator gave lasts until the next sign-in", async () => {
  const person = newPerson({ groups: ["analysts"] });
  const visitor = createVisitor();
  await signIn(person, visitor);
  const admin = await service.loginAs("admin");
  await admin.send("PATCH", `/api/users/${(await session(visitor))?.["id"]}`, { role: "admin" });
  expect(await session(visitor)).toMatchObject({ role: "admin" });
  await signIn(person, visitor);
  expect(await session(visitor)).toMatchObject({ role: "editor" });
});

test("the last active administrator stays one without the group", async () => {
  const person = newPerson({ groups: ["seismology-admins"] });
  const visitor = createVisitor();
  await signIn(person, visitor);
  const { url } = service;
  const response = await visitor.get(`${url}/api/users`);
  const { users } = (await response.json()) as { users: { id: string; role: string }[] };
  const own = (await session(visitor))?.["id"];
  for (const { id, role } of users) {
    if (role !== "admin" || id === own) continue;
    const change = { method: "PATCH", body: JSON.stringify({ is_active: false }) };
    const headers = { "content-type": "application/json", cookie: visitor.cookies(url) };
    expect((await fetch(`${url}/api/users/${id}`, { ...change, headers })).status).toBe(200);
  }
  await signIn({ ...person, groups: [] }, visitor);
  expect(await session(visitor)).toMatchObject({ role: "admin" });
});
