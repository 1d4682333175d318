import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { mergeForm } from "../../support/api/merges.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { giveRight, restricted } from "./rights-scene.ts";

const service = sharedService();

describe("an administrator's access token that is not for administering", () => {
  test.each(["read", "write"] as const)(
    "for %s finds a restricted catalogue where its owner is a member alone",
    async (scope) => {
      const { id: administrator, signIn } = await newAccount(service, "admin");
      const { client: admin } = await signIn();
      const { secret } = await newAccessToken(admin, { scopes: [scope] });
      const script = createApiClient(service.url, secret);
      const name = `hidden ${randomUUID()}`;
      const owner = await service.loginAs("editor");
      const { id } = await restricted(owner, { name });
      const source = await createCatalogue(owner, { access: "public" });
      const form = mergeForm([id, source.id].map((one) => ({ id: one, source: name })));
      type Merged = { catalogueId: string };
      const { body } = await owner.send<Merged>("POST", "/api/merge", {
        ...form,
        access: "public",
      });
      const merged = `/api/catalogues/${body.catalogueId}`;
      const shown = async () => {
        const [listed, read, sources, job] = await Promise.all([
          script.get<{ total: number }>(`/api/catalogues?search=${encodeURIComponent(name)}`),
          script.get(`/api/catalogues/${id}/events`),
          script.get(merged),
          script.get(`/api/import/history?catalogueId=${id}`),
        ]);
        return {
          total: listed.body.total,
          read: read.status,
          told: JSON.stringify(sources.body).includes(id),
          job: job.status,
        };
      };
      expect(await shown()).toMatchObject({ total: 0, read: 404, told: false });
      await giveRight(owner, id, administrator, "read");
      expect(await shown()).toMatchObject({ total: 1, read: 200, told: true });
    },
  );

  test("gives nobody rights, and is told the right of an editor", async () => {
    const { signIn } = await newAccount(service, "admin");
    const { secret } = await newAccessToken((await signIn()).client, { scopes: ["write"] });
    const script = createApiClient(service.url, secret);
    const { id } = await createCatalogue(await service.loginAs("editor"));
    const { id: viewer } = await newAccount(service, "viewer");
    const path = `/api/catalogues/${id}`;
    expectRefusal(
      await script.send("PUT", `${path}/members/${viewer}`, { right: "own" }),
      "FORBIDDEN",
    );
    expectRefusal(await script.send("PATCH", path, { editing: "members" }), "FORBIDDEN");
    expectRefusal(await script.send("PATCH", path, { access: "restricted" }), "FORBIDDEN");
    expect((await script.get(`${path}/right`)).body).toEqual({ right: "edit" });
    expect((await script.send("PATCH", path, { name: "Another" })).status).toBe(200);
  });
});
