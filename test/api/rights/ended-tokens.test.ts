import { expect, test } from "vitest";
import { createApiClient } from "../../support/api-client.ts";
import { followEvents } from "../../support/feed-client.ts";
import { useService } from "../../support/service.ts";
import { newAccessToken } from "../support/access-tokens.ts";
import { newAccount } from "../support/accounts.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { SHARED_SECRET, startGatewayCopy } from "../support/gateway-copy.ts";

const service = useService({ JWT_SECRET: SHARED_SECRET });

/** Of requests (contract: a second), and of streams. */
const REQUESTS_MS = 1_000;
const STREAMS_MS = 5_000;

test("an access token that one gateway ends is ended on another, for requests and for streams", async () => {
  const copy = await startGatewayCopy(service, { RATE_LIMIT_READ: "0" });
  try {
    const { signIn, id: owner } = await newAccount(service, "editor");
    const { client } = await signIn();
    const catalogue = await createCatalogue(client);
    const feed = `/api/catalogues/${catalogue.id}/feed`;
    const end = {
      "ended by its owner": (id: string) => client.send("DELETE", `/api/tokens/${id}`),
      "asleep with its owner": async () => {
        const admin = await service.loginAs("admin");
        return admin.send("PATCH", `/api/users/${owner}`, { is_active: false });
      },
    };
    for (const [how, ending] of Object.entries(end)) {
      const { id, secret } = await newAccessToken(client);
      const script = createApiClient(copy.url, secret);
      const status = async () =>
        (await script.get(`/api/catalogues/${catalogue.id}/events`)).status;
      expect(await status()).toBe(200);
      const stream = await followEvents(copy.url + feed, { token: secret });
      const started = performance.now();
      expect((await ending(id)).status).toBe(200);
      const ended = performance.now();
      expect(await status(), how).toBe(401);
      expect(performance.now() - ended, how).toBeLessThan(REQUESTS_MS);
      await stream.ended();
      expect(performance.now() - started, how).toBeLessThan(STREAMS_MS);
    }
  } finally {
    await copy.stop();
  }
}, 60_000);
