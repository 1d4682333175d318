import { type Action, type ActionDeps, acknowledged } from "./catalogue-actions.ts";

const PASSWORD = "a long password of torture";

export const registerAccount: Action = async (deps) => {
  await register(deps);
};

/** @returns the email address of the new account */
async function register(deps: ActionDeps): Promise<string> {
  const email = `user${Math.floor(deps.random() * 1e9)}@example.org`;
  const body = { name: "Somebody", email, password: PASSWORD };
  await acknowledged(
    deps,
    { method: "POST", path: "/api/auth/register", body },
    ({ status, repeated }) => status === 201 || (status === 409 && repeated),
  );
  deps.ledger.accounts.set(email, { password: PASSWORD, resets: 0 });
  return email;
}

export const resetPassword: Action = async (deps) => {
  const email = anyAccount(deps);
  if (email === undefined) return registerAccount(deps);
  const call = { method: "POST", path: "/api/auth/forgot-password", body: { email } } as const;
  await acknowledged(deps, call, ({ status }) => status === 200);
  const account = deps.ledger.accounts.get(email);
  if (account) account.resets += 1;
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
