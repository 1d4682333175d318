import { expect, test } from "vitest";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { administrator, newAccount } from "../support/accounts.ts";
import { SHARED_SECRET, startGatewayCopy } from "../support/gateway-copy.ts";

const service = useService({ JWT_SECRET: SHARED_SECRET });

test("an administrator's change bites on the user's very next request to another gateway", async () => {
  const copy = await startGatewayCopy(service, { RATE_LIMIT_WRITE: "0" });
  try {
    const admin = await administrator(service);
    const { id, signIn } = await newAccount(service, "viewer");
    let user = createApiClient(copy.url, (await signIn()).token);
    const create = async () =>
      (await user.send("POST", "/api/catalogues", { name: "x", events: [] })).status;
    const change = (body: unknown) => admin.send("PATCH", `/api/users/${id}`, body);
    expect(await create()).toBe(403);
    await change({ role: "editor" });
    expect(await create()).toBe(201);
    await change({ is_active: false });
    expect(await create()).toBe(401);
    await change({ is_active: true });
    expect(await create()).toBe(401);
    user = createApiClient(copy.url, (await signIn()).token);
    expect(await create()).toBe(201);
    await admin.send("DELETE", `/api/users/${id}`);
    expect(await create()).toBe(401);
  } finally {
    await copy.stop();
  }
});
