import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { userStream } from "#contracts/names.ts";
import type { Role } from "#contracts/roles.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import {
  getUserHandler,
  listUsersHandler,
  updateUserHandler,
} from "#services/gateway/routes/accounts/users.ts";
import { callOf } from "./call-of.ts";
import { newCommand, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const UNKNOWN_IDS = ["user_1_unknown00", "nobody", "user_1_a\u0000", ""];

function actorOf(userId: string) {
  return { userId, email: "", name: "", role: "admin", sessionId: "", expires: "" } as const;
}

/** PATCH /api/users/{id} by `actor`. */
function patch(actor: string, id: string, body: object) {
  return updateUserHandler(accounts)(callOf({ actor: actorOf(actor), params: { id }, body }));
}

async function rolesOf(...ids: string[]): Promise<Role[]> {
  const { body } = await listUsersHandler(accounts.context)(callOf({ query: { limit: 1_000 } }));
  return ids.flatMap((id) => body.users.filter((user) => user.id === id).map(({ role }) => role));
}

describe("the list of users", () => {
  test("the list of users holds every account with its details, newest first", async () => {
    const first = await accounts.register("viewer");
    const second = await accounts.register("editor");
    const { body } = await listUsersHandler(accounts.context)(callOf({ query: { limit: 1_000 } }));
    expect(body.users.slice(0, 2).map(({ id }) => id)).toEqual([second.userId, first.userId]);
    expect(body.users[0]).toEqual({
      id: second.userId,
      email: second.email,
      name: "Ana",
      role: "editor",
      is_active: true,
      email_verified: false,
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.users[0]?.created_at,
      last_login: null,
    });
  });
});

describe("one user", () => {
  test("one user has the details of the list", async () => {
    const { userId } = await accounts.register("viewer");
    const { body: list } = await listUsersHandler(accounts.context)(
      callOf({ query: { limit: 1_000 } }),
    );
    const { body } = await getUserHandler(accounts.context)(callOf({ params: { id: userId } }));
    expect(body.user).toEqual(list.users.find(({ id }) => id === userId));
  });

  test.each(UNKNOWN_IDS)("one user is not found by the id %j", async (id) => {
    const answer = getUserHandler(accounts.context)(callOf({ params: { id } }));
    await expect(answer).rejects.toEqual(new Refusal("NOT_FOUND", "User not found"));
  });
});

describe("changing a user", () => {
  test("changing a user changes role, active state and name, and answers them", async () => {
    const { userId } = await accounts.register("viewer");
    const body = { role: "editor", is_active: false, name: "Bea" };
    const answer = await patch("user_1_admin", userId, body);
    expect(answer.body.user).toMatchObject({ id: userId, ...body });
    const { created_at, updated_at } = answer.body.user;
    expect(updated_at > created_at).toBe(true);
  });

  test("changing a user appends nothing where nothing becomes another", async () => {
    const { userId } = await accounts.register("viewer");
    await patch("user_1_admin", userId, { role: "viewer", is_active: true, name: "Ana" });
    expect(await accounts.log.read(userStream(userId), 0, 10)).toHaveLength(1);
  });

  test.each(UNKNOWN_IDS)("changing a user refuses the unknown id %j as not found", async (id) => {
    for (const body of [{ name: "Bea" }, { role: "viewer" }, { is_active: true }]) {
      await expect(patch("user_1_admin", id, body)).rejects.toThrow(
        new Refusal("NOT_FOUND", "User not found"),
      );
    }
  });

  test("changing a user refuses an empty body as invalid", async () => {
    const { userId } = await accounts.register("viewer");
    await expect(patch("user_1_admin", userId, {})).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
    });
  });

  test("changing a user refuses a name that cannot be stored as invalid", async () => {
    const { userId } = await accounts.register("viewer");
    const named = patch("user_1_admin", userId, { name: "a\u0000" });
    await expect(named).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test.each([{ role: "editor" }, { is_active: false }])(
    "changing a user refuses administrators who do %j to themselves as invalid",
    async (body) => {
      const { userId } = await accounts.register("admin");
      await expect(patch(userId, userId, body)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    },
  );
});

describe("the last active administrator", () => {
  /** Leaves the given administrators as the only active ones. */
  async function onlyAdministrators(count: number): Promise<string[]> {
    const kept = await Promise.all(
      Array.from({ length: count }, async () => (await accounts.register("admin")).userId),
    );
    const { body } = await listUsersHandler(accounts.context)(callOf({ query: { limit: 1_000 } }));
    for (const { id, role } of body.users) {
      if (role === "admin" && !kept.includes(id)) {
        await updateUserCommand(accounts.context, newCommand(), id, { role: "viewer" });
      }
    }
    return kept;
  }

  test.each([{ role: "viewer" }, { is_active: false }])(
    "the last active administrator cannot be changed by %j: conflict",
    async (body) => {
      const [last = ""] = await onlyAdministrators(1);
      await expect(patch("user_1_former", last, body)).rejects.toMatchObject({ code: "CONFLICT" });
    },
  );

  test("the last active administrator is left when two demote each other at once: one of them gets a conflict", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a = "", b = ""] = await onlyAdministrators(2);
      const outcomes = await Promise.allSettled([
        patch(a, b, { role: "viewer" }),
        patch(b, a, round % 2 === 0 ? { role: "editor" } : { is_active: false }),
      ]);
      const refused = outcomes.filter((outcome) => outcome.status === "rejected");
      expect(refused.map(({ reason }) => reason.code)).toEqual(["CONFLICT"]);
      expect(await rolesOf(a, b)).toContain("admin");
    }
  });

  test("the last active administrator is left when 12 demote each other in a ring at once", async () => {
    const ring = await onlyAdministrators(12);
    const outcomes = await Promise.allSettled(
      ring.map((id, i) => patch(id, ring[(i + 1) % ring.length] ?? "", { role: "viewer" })),
    );
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect((await rolesOf(...ring)).filter((role) => role === "admin")).toHaveLength(1);
  });
});
