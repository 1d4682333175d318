import { describe, expect, test } from "vitest";
import type { RoleRequest } from "#contracts/http/accounts.ts";
import { administrator, newAccount } from "../../support/api/accounts.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const JUSTIFICATION = "I review the network's catalogue.\nEvery week.";

type One = { request: RoleRequest };

function ask(client: ApiClient, requestedRole: unknown = "editor", justification = JUSTIFICATION) {
  return client.send<One>("POST", "/api/role-requests", { requestedRole, justification });
}

async function review(id: string, body: unknown) {
  return (await administrator(service)).send<One>("PATCH", `/api/role-requests/${id}`, body);
}

async function requester() {
  const account = await newAccount(service, "viewer");
  return { ...account, client: (await account.signIn()).client };
}

describe("POST /api/role-requests", () => {
  test("POST /api/role-requests answers the record, which the requester and administrators then list", async () => {
    const { id: userId, email, client } = await requester();
    const { status, body } = await ask(client, "editor", `  ${JUSTIFICATION} `);
    expect(status).toBe(201);
    expect(body.request).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_id: userId,
      user_email: email,
      user_name: "viewer",
      current_role: "viewer",
      requested_role: "editor",
      justification: JUSTIFICATION,
      status: "pending",
      admin_notes: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.request.created_at,
      reviewed_at: null,
      reviewed_by: null,
    });
    expect((await client.get("/api/role-requests/me")).body).toEqual({ requests: [body.request] });
    const admin = await administrator(service);
    const listed = async (status: string) =>
      (await admin.get<{ requests: unknown[] }>(`/api/role-requests?status=${status}`)).body
        .requests;
    expect((await listed("pending"))[0]).toEqual(body.request);
    expect(await listed("approved")).not.toContainEqual(body.request);
  });

  // What schemas say of members, all operations are asked for (hostile/bodies).
  test("POST /api/role-requests refuses blanks, controls and a role that is none above", async () => {
    const { client } = await requester();
    for (const [role, justification, field] of [
      ["editor", " ".repeat(20), "justification"],
      ["editor", "long \u0007enough", "justification"],
      ["viewer", JUSTIFICATION, "requestedRole"],
    ] as const) {
      expectRefusal(await ask(client, role, justification), "VALIDATION_ERROR", field);
    }
  });

  test("POST /api/role-requests takes a justification of several lines", async () => {
    const { client } = await requester();
    const justification = "I run the network.\r\n\tAnd its archive.";
    const { status, body } = await ask(client, "editor", justification);
    expect(status).toBe(201);
    expect(body.request).toMatchObject({ justification });
    const adminNotes = "Not\u202eyet";
    const refused = await review(body.request.id, { status: "rejected", adminNotes });
    expectRefusal(refused, "VALIDATION_ERROR", "adminNotes");
  });

  test("POST /api/role-requests takes a justification of 10 and of 1,000 characters", async () => {
    for (const length of [10, 1_000]) {
      const { client } = await requester();
      expect((await ask(client, "editor", "🜨".repeat(length))).status).toBe(201);
    }
  });

  test("POST /api/role-requests refuses a role that is not above the current one", async () => {
    const { client } = await (await newAccount(service, "editor")).signIn();
    expectRefusal(await ask(client, "editor"), "VALIDATION_ERROR", "requestedRole");
    expect((await ask(client, "admin")).status).toBe(201);
  });

  test("POST /api/role-requests keeps one pending request of ten at once", async () => {
    const { client } = await requester();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(client)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test("POST /api/role-requests refuses a status that nobody knows", async () => {
    const admin = await administrator(service);
    expectRefusal(await admin.get("/api/role-requests?status=open"), "VALIDATION_ERROR", "status");
  });
});

describe("PATCH /api/role-requests/{id}", () => {
  test("PATCH /api/role-requests/{id} approves: the role bites on the requester's next request", async () => {
    const { client } = await requester();
    const { request } = (await ask(client)).body;
    const create = async () =>
      (await client.send("POST", "/api/catalogues", { name: "x", events: [] })).status;
    expect(await create()).toBe(403);
    const { status, body } = await review(request.id, { status: "approved", adminNotes: "Agreed" });
    expect(status).toBe(200);
    const { reviewed_at: reviewedAt } = body.request;
    expect(body.request).toEqual({
      ...request,
      status: "approved",
      admin_notes: "Agreed",
      reviewed_at: expect.stringMatching(/Z$/),
      reviewed_by: expect.stringMatching(/^user_/),
      updated_at: reviewedAt,
    });
    expect(await create()).toBe(201);
    expectRefusal(await review(request.id, { status: "rejected" }), "CONFLICT");
  });

  test("PATCH /api/role-requests/{id} rejects: the role stays, and another request may follow", async () => {
    const { client } = await requester();
    const { request } = (await ask(client, "admin")).body;
    const { body } = await review(request.id, { status: "rejected" });
    expect(body.request).toMatchObject({ status: "rejected", admin_notes: null });
    expectRefusal(await client.get("/api/users"), "FORBIDDEN");
    expectRefusal(await review(request.id, { status: "approved" }), "CONFLICT");
    expect((await ask(client, "editor")).status).toBe(201);
  });

  test("PATCH /api/role-requests/{id} never demotes whoever was meanwhile given a higher role", async () => {
    const { id, client } = await requester();
    const { request } = (await ask(client, "editor")).body;
    const admin = await administrator(service);
    await admin.send("PATCH", `/api/users/${id}`, { role: "admin" });
    const { body } = await review(request.id, { status: "approved" });
    expect(body.request.status).toBe("approved");
    expect((await client.get("/api/users")).status).toBe(200);
  });

  test("PATCH /api/role-requests/{id} is decided once by ten reviews at once", async () => {
    const { client } = await requester();
    const { request } = (await ask(client)).body;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        review(request.id, { status: i % 2 === 0 ? "approved" : "rejected" }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  test("PATCH /api/role-requests/{id} answers 404 for what is not there", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "nothing", "%00"])
      expectRefusal(await review(id, { status: "approved" }), "NOT_FOUND");
  });
});
