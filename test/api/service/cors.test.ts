import { expect, test } from "vitest";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const PARTNER = "https://partner.example.org";
const service = useService({ CORS_ORIGINS: PARTNER });

test("the service lets a listed origin call with credentials and read the tags", async () => {
  const { headers } = await createApiClient(service.url).get("/api/catalogues", {
    origin: PARTNER,
  });
  expect(headers.get("access-control-allow-origin")).toBe(PARTNER);
  expect(headers.get("access-control-allow-credentials")).toBe("true");
  expect(headers.get("access-control-expose-headers")).toContain("ETag");
});

test.each([
  [PARTNER, 201],
  ["https://other.example.org", 403],
])("the service answers a cookie write from %s with %i", async (origin, expected) => {
  const admin = await service.loginAs("admin");
  const name = "cookie";
  const { body } = await createApiClient(service.url).send<{ token: string }>(
    "POST",
    "/api/auth/login",
    { email: "admin@example.org", password: "a long admin password" },
  );
  const headers = { origin, cookie: `session=${body.token}` };
  const guest = createApiClient(service.url);
  const answer = await guest.send("POST", "/api/catalogues", { name, events: [] }, headers);
  expect(answer.status).toBe(expected);
  expect((await admin.get("/api/auth/session")).status).toBe(200);
});
