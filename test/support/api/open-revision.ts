import { randomUUID } from "node:crypto";
import { createPresence } from "#infra/postgres/coordination.ts";
import {
  abandonRevision,
  createCatalogue,
  openRevision,
} from "#services/domain/catalogues/catalogue.ts";
import { decideOnCatalogue } from "#services/streams.ts";
import type { TestService } from "../service.ts";

type OpenService = Pick<TestService, "databaseUrl" | "log">;

/** Runs `work` while another live process, this one, has a revision of the catalogue open. */
export function whileRevisionIsOpen(
  service: OpenService,
  catalogueId: string,
  work: () => Promise<void>,
): Promise<void> {
  return whileOpen(service, catalogueId, work, false);
}

/** Runs `work` while another live process writes the first revision of a catalogue. */
export async function whileProcessing(
  service: OpenService,
  work: (catalogueId: string) => Promise<void>,
): Promise<void> {
  const catalogueId = randomUUID();
  return whileOpen(service, catalogueId, () => work(catalogueId), true);
}

async function whileOpen(
  service: OpenService,
  catalogueId: string,
  work: () => Promise<void>,
  create: boolean,
): Promise<void> {
  const log = await service.log.open();
  const presence = await createPresence(service.databaseUrl);
  const catalogueStates = { find: async () => null, keep: async () => {} };
  const context = { log, now: () => new Date(), catalogueStates };
  const decide = (decision: Parameters<typeof decideOnCatalogue>[3]) =>
    decideOnCatalogue(context, { id: randomUUID(), actor: "system" }, catalogueId, decision);
  try {
    const wanted = { catalogueId, name: "new", isPublic: false, createdBy: "user_1_tester" };
    if (create) await decide((absent) => createCatalogue(absent, wanted));
    const { state } = await decide((present) =>
      openRevision(present, { cause: "edit", worker: presence.key }),
    );
    if (state.status !== "existing") throw new Error("the catalogue is not there");
    const revision = state.lastRevision;
    await work();
    await decide((present) => abandonRevision(present, { revision, reason: "the test is over" }));
  } finally {
    await presence.close();
    await log.close();
  }
}
