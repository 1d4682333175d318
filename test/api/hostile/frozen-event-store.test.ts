import { afterAll, beforeAll, expect, test } from "vitest";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { MATRIX } from "../../support/api/matrix.ts";
import { call, newSubjects } from "../../support/api/subjects.ts";
import { callAll, expectRefusedInTime, timed } from "../../support/api/timed-answers.ts";
import { createApiClient } from "../../support/api-client.ts";
import {
  type EventStoreProcess,
  startEventStoreProcess,
} from "../../support/eventstore/event-store-process.ts";
import { useService } from "../../support/service.ts";

let store: EventStoreProcess;
beforeAll(async () => {
  store = await startEventStoreProcess();
});
afterAll(() => store.stop());

const service = useService(() => ({ EVENTSTORE_URL: store.url }));

/** The first two would end the session of all; registering waits for passwords of others to be hashed. */
const NOT_AMONG_OTHERS = ["logout", "changePassword", "register"];

const LOSSES = [
  ["frozen", () => store.freeze(), () => store.thaw()],
  ["stopped", () => store.kill(), () => store.restart()],
] as const;

test.each(LOSSES)(
  "a service whose event store is %s answers every request within 10 s, at its beginning and later, and is well afterwards",
  async (_state, lose, giveBack) => {
    const subjects = await newSubjects(service);
    const { token } = await (await newAccount(service, "admin")).signIn();
    await lose();
    try {
      const register = call(createApiClient(service.url), MATRIX.register.request(subjects));
      expectRefusedInTime([await timed("register", register)]);
      for (const _round of ["at its beginning", "later"]) {
        expectRefusedInTime(await callAll(service, token, subjects, NOT_AMONG_OTHERS));
      }
    } finally {
      await giveBack();
    }
    const isWell = async () => (await createApiClient(service.url).get("/api/ready")).status;
    await expect.poll(isWell, { timeout: 40_000 }).toBe(200);
    const admin = await service.loginAs("admin");
    const { id } = await createCatalogue(admin);
    expect((await admin.get(`/api/catalogues/${id}/export`)).status).toBe(200);
  },
);
