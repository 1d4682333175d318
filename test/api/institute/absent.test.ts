import { expect, test } from "vitest";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

test.each([
  ["GET", "/api/auth/oidc?x=1"],
  ["GET", "/api/auth/oidc/callback?code=any"],
  ["POST", "/api/auth/oidc/join"],
] as const)("without an institute %s %s is 404, whatever comes with it", async (method, path) => {
  const guest = createApiClient(service.url);
  const { status, body } =
    method === "GET" ? await guest.get(path) : await guest.send(method, path, "{");
  expect({ status, body }).toMatchObject({ status: 404, body: { error: "Not found" } });
});
