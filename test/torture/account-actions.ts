import { setTimeout as delay } from "node:timers/promises";
import { type Action, type ActionDeps, acknowledged, UnexpectedAnswer } from "./action.ts";

const PASSWORD = "a long password of torture";
/** Longer than a registration cut off keeps its address, and than the service is away. */
const RESERVED_MS = 180_000;
const RESERVED_POLL_MS = 5_000;

export const registerAccount: Action = async (deps) => {
  await register(deps);
};

/**
 * An address that a registration cut off has reserved stays refused for a minute (409): only whoever
 * can sign in has an account.
 * @returns the email address of the new account
 */
async function register(deps: ActionDeps): Promise<string> {
  const email = `user${Math.floor(deps.random() * 1e9)}@example.org`;
  const body = { name: "Somebody", email, password: PASSWORD };
  const call = { method: "POST", path: "/api/auth/register", body } as const;
  const deadline = Date.now() + RESERVED_MS;
  let repeated = false;
  while (true) {
    const answer = await deps.send(call);
    repeated ||= answer.repeated;
    const isReserved = answer.status === 409 && repeated;
    if (answer.status === 201 || (isReserved && (await canSignIn(deps, email)))) break;
    if (!isReserved || Date.now() > deadline) throw new UnexpectedAnswer(call, answer);
    await delay(RESERVED_POLL_MS);
  }
  deps.ledger.writes += 1;
  deps.ledger.accounts.set(email, { password: PASSWORD, isReset: false });
  return email;
}

async function canSignIn({ send }: ActionDeps, email: string): Promise<boolean> {
  const body = { email, password: PASSWORD };
  const { status } = await send({ method: "POST", path: "/api/auth/login", body });
  return status === 200;
}

export const resetPassword: Action = async (deps) => {
  const email = anyAccount(deps);
  if (email === undefined) return registerAccount(deps);
  const call = { method: "POST", path: "/api/auth/forgot-password", body: { email } } as const;
  await acknowledged(deps, call, ({ status }) => status === 200);
  const account = deps.ledger.accounts.get(email);
  if (account) account.isReset = true;
};

/** A new account asks for a role, of which administrators are told. */
export const requestRole: Action = async (deps) => {
  const email = await register(deps);
  const credentials = { email, password: PASSWORD };
  const login = { method: "POST", path: "/api/auth/login", body: credentials } as const;
  const { body } = await acknowledged<{ token: string }>(
    deps,
    login,
    ({ status }) => status === 200,
  );
  const wanted = { requestedRole: "editor", justification: "to change catalogues while it burns" };
  const call = {
    method: "POST",
    path: "/api/role-requests",
    body: wanted,
    token: body.token,
  } as const;
  await acknowledged(
    deps,
    call,
    ({ status, repeated }) => status === 201 || (status === 409 && repeated),
  );
  deps.ledger.roleRequests += 1;
};

function anyAccount({ ledger, random }: ActionDeps): string | undefined {
  const emails = [...ledger.accounts.keys()];
  return emails[Math.floor(random() * emails.length)];
}
