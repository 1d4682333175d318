import { describe, expect, test } from "vitest";
import { Refusal } from "#contracts/errors.ts";
import { emailStream, userStream } from "#contracts/names.ts";
import { fromRecorded, toNewEvents } from "#infra/event-log/domain-events.ts";
import { Unavailable } from "#infra/event-log/errors.ts";
import { NO_STREAM } from "#infra/event-log/event-log.ts";
import { emailHmac, newPersonalKey } from "#infra/security/personal-data.ts";
import { readPersonalKey, storeCredentials } from "#infra/security/vault/credentials.ts";
import { findUser } from "#projections/queries/accounts/user-queries.ts";
import { createAccount, registerUserCommand } from "#services/commands/accounts/register-user.ts";
import { newCommand, newEmail, PASSWORD, useAccounts } from "./use-accounts.ts";

const accounts = useAccounts();
const MINUTE = 60_000;

const hmacOf = (email: string) => emailHmac(accounts.context.emailKey, email);

async function eventsOf(stream: string) {
  return (await accounts.log.read(stream, 0, 100)).map(fromRecorded);
}

/** A registration that reserved the address `ageMs` ago and was then cut off. */
async function cutOffRegistration(email: string, ageMs: number): Promise<string> {
  const userId = `user_${Date.now() - ageMs}_cutoff000`;
  const at = new Date(Date.now() - ageMs);
  const personalKey = newPersonalKey();
  await storeCredentials(accounts.pool, { userId, personalKey, passwordHash: "x", at });
  const stream = emailStream(hmacOf(email));
  const origin = { commandId: newCommand().id, actor: "system", at };
  const reserved = {
    type: "EmailReserved",
    data: { emailHmac: hmacOf(email), userId },
  } as const;
  await accounts.log.append(stream, NO_STREAM, toNewEvents(stream, 0, [reserved], origin));
  return userId;
}

describe("an address that a registration cut off left reserved", () => {
  test("an address that a registration cut off left reserved is refused for a minute", async () => {
    const email = newEmail();
    await cutOffRegistration(email, MINUTE - 5_000);
    const form = { email, password: PASSWORD, name: "Ana" };
    await expect(registerUserCommand(accounts.context, newCommand(), form)).rejects.toThrow(
      new Refusal("CONFLICT", "User with this email already exists"),
    );
  });

  test("an address that a registration cut off left reserved is taken over after a minute, with the cut off account closed and its key gone", async () => {
    const email = newEmail();
    const cutOff = await cutOffRegistration(email, MINUTE);
    const form = { email, password: PASSWORD, name: "Ana" };
    const { userId } = await registerUserCommand(accounts.context, newCommand(), form);
    const hmac = hmacOf(email);
    expect(await eventsOf(emailStream(hmac))).toEqual([
      { type: "EmailReserved", data: { emailHmac: hmac, userId: cutOff } },
      { type: "EmailReleased", data: { emailHmac: hmac, userId: cutOff } },
      { type: "EmailReserved", data: { emailHmac: hmac, userId } },
    ]);
    expect(await eventsOf(userStream(cutOff))).toEqual([
      { type: "UserDeleted", data: { userId: cutOff } },
    ]);
    expect(await readPersonalKey(accounts.pool, cutOff)).toBeNull();
    expect(await findUser(accounts.pool, userId)).toMatchObject({ email, is_active: true });
  });

  test("an address that a registration cut off left reserved is taken over at once where the registration has failed", async () => {
    const form = { email: newEmail(), password: PASSWORD, name: "Ana" };
    const append: typeof accounts.log.append = async (stream, ...rest) => {
      if (stream.startsWith("user-")) throw new Unavailable("the log is away");
      return accounts.log.append(stream, ...rest);
    };
    const context = { ...accounts.context, log: { ...accounts.log, append } };
    await expect(registerUserCommand(context, newCommand(), form)).rejects.toThrow(Unavailable);
    const { userId } = await registerUserCommand(accounts.context, newCommand(), form);
    expect(await findUser(accounts.pool, userId)).toMatchObject({ email: form.email });
  });

  test("an address that a registration cut off left reserved goes to one of ten that take it over at once", async () => {
    const email = newEmail();
    await cutOffRegistration(email, MINUTE);
    const form = { email, password: PASSWORD, name: "Ana" };
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => registerUserCommand(accounts.context, newCommand(), form)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("an address that a registration cut off left reserved cannot be won back by the registration that was only slow", async () => {
    const email = newEmail();
    const form = { email, password: PASSWORD, name: "Ana" };
    const reserved = Promise.withResolvers<void>();
    const takenOver = Promise.withResolvers<void>();
    const append: typeof accounts.log.append = async (stream, ...rest) => {
      if (stream.startsWith("user-")) {
        reserved.resolve();
        await takenOver.promise;
      }
      return accounts.log.append(stream, ...rest);
    };
    const slowContext = { ...accounts.context, log: { ...accounts.log, append } };
    const slow = registerUserCommand(slowContext, newCommand(), form);
    await reserved.promise;
    const options = { role: "viewer", unfinishedMs: 0 } as const;
    const fast = await createAccount(accounts.context, newCommand(), form, options);
    takenOver.resolve();
    await expect(slow).rejects.toThrow(
      new Refusal("CONFLICT", "User with this email already exists"),
    );
    expect(await readPersonalKey(accounts.pool, fast.userId)).not.toBeNull();
  });
});
