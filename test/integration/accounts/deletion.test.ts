import { describe, expect, test } from "vitest";
import { emailStream } from "#contracts/names.ts";
import { fromRecorded } from "#infra/event-log/domain-events.ts";
import { emailHmac } from "#infra/security/personal-data.ts";
import { readPersonalKey } from "#infra/security/vault/credentials.ts";
import { findUser, listUsers } from "#projections/queries/accounts/user-queries.ts";
import { deleteUserCommand, finishDeletions } from "#services/commands/accounts/delete-user.ts";
import { registerUserCommand } from "#services/commands/accounts/register-user.ts";
import { updateUserCommand } from "#services/commands/accounts/update-user.ts";
import { newCommand, PASSWORD, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();

class Crash extends Error {}

/** A deletion that ends right after its event, as a killed process does. */
async function cutOffDeletion(userId: string): Promise<void> {
  const append: typeof accounts.log.append = (stream, ...rest) => {
    if (stream.startsWith("email-")) throw new Crash();
    return accounts.log.append(stream, ...rest);
  };
  const context = { ...accounts.context, log: { ...accounts.log, append } };
  const deletion = deleteUserCommand(context, newCommand(), userId);
  await expect(deletion).rejects.toBeInstanceOf(Crash);
  const position = await accounts.log.head();
  await accounts.context.untilVisible("users", position);
}

describe("a deletion cut off after its event", () => {
  test("a deletion cut off after its event is finished: the key is destroyed and the address free", async () => {
    const { userId, email } = await accounts.register("viewer");
    await cutOffDeletion(userId);
    expect(await findUser(accounts.pool, userId)).toBeNull();
    expect(await readPersonalKey(accounts.pool, userId)).not.toBeNull();
    expect(await finishDeletions(accounts.context)).toBe(1);
    expect(await finishDeletions(accounts.context)).toBe(0);
    expect(await readPersonalKey(accounts.pool, userId)).toBeNull();
    const form = { email, password: PASSWORD, name: "Ana" };
    const again = await registerUserCommand(accounts.context, newCommand(), form);
    const hmac = emailHmac(accounts.context.emailKey, email);
    const events = await accounts.log.read(emailStream(hmac), 0, 10);
    expect(events.map(fromRecorded)).toEqual([
      { type: "EmailReserved", data: { emailHmac: hmac, userId } },
      { type: "EmailReleased", data: { emailHmac: hmac, userId } },
      { type: "EmailReserved", data: { emailHmac: hmac, userId: again.userId } },
    ]);
  });
});

describe("the last active administrator", () => {
  test("the last active administrator is left when two delete each other at once: one of them gets a conflict", async () => {
    for (let round = 0; round < 3; round += 1) {
      const { userId: a } = await accounts.register("admin");
      const { userId: b } = await accounts.register("admin");
      for (const { id, role } of (await listUsers(accounts.pool, { limit: 1_000 })).rows) {
        if (role === "admin" && id !== a && id !== b) {
          await updateUserCommand(accounts.context, newCommand(), id, { role: "viewer" });
        }
      }
      const outcomes = await Promise.allSettled([
        deleteUserCommand(accounts.context, newCommand(a), b),
        deleteUserCommand(accounts.context, newCommand(b), a),
      ]);
      const refused = outcomes.filter((outcome) => outcome.status === "rejected");
      expect(refused.map(({ reason }) => reason.code)).toEqual(["CONFLICT"]);
    }
  });
});
