import { servedEvents } from "../support/agency/generated-events.ts";
import { type ApiClient, createApiClient, sessionToken } from "../support/api-client.ts";
import type { Random } from "../support/random.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";
import { type HostileAgency, startHostileAgency } from "./hostile-agency.ts";
import { ROLES, type Role } from "./judge.ts";
import { createKnownIds, type KnownIds } from "./known-ids.ts";

/** The service with an agency that is hostile to it, and what requests can be about. */
export type World = {
  readonly service: ServiceProcess;
  readonly agency: HostileAgency;
  readonly known: KnownIds;
  /** A private catalogue that no request but a guest's is about. */
  readonly secret: string;
  readonly tokenOf: (role: Role) => string | null;
  /** A new account of the role: requests have ended or demoted the old one. */
  readonly renew: (role: Role) => Promise<void>;
  readonly close: () => Promise<number | null>;
};

const ADMIN = { email: "root@example.org", password: "only for the fuzzing" };
const PASSWORD = "a long password 0";
const EVENTS = 200;

export async function startWorld(random: Random): Promise<World> {
  const directory = await createTemporaryDirectory();
  const agency = await startHostileAgency(random);
  const service = await startServiceProcess({
    DATA_DIR: directory.path,
    AGENCY_URL: agency.url,
    AGENCY_TIMEOUT: "2",
    AGENCY_RETRIES: "0",
    ...unlimitedFor(ADMIN),
    MAX_BODY_MB: "2",
    MAX_UPLOAD_MB: "2",
    MAX_EVENTS_PER_REQUEST: "1000",
  });
  const close = async (): Promise<number | null> => {
    const code = await service.stop();
    await agency.close();
    await directory.remove();
    return code;
  };
  try {
    return { service, agency, close, ...(await furnish(service.url)) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Catalogues and accounts, as they have to be for requests to get far. */
async function furnish(
  url: string,
): Promise<Pick<World, "known" | "secret" | "tokenOf" | "renew">> {
  const root = createApiClient(url, await sessionToken(url, ADMIN));
  const secret = await createCatalogue(root, "secret", false);
  const session = await root.get<{ user: { id: string } }>("/api/auth/session");
  const reserved = new Set([secret, session.body.user.id]);
  const known = createKnownIds((id) => reserved.has(id));
  for (const isPublic of [true, true, false]) {
    const id = await createCatalogue(root, "known", isPublic);
    known.note("catalogues", id);
    known.harvest((await root.get(`/api/catalogues/${id}/events`)).body);
  }
  const sessions = createSessions(url, root);
  await Promise.all(ROLES.map((role) => sessions.renew(role)));
  return { known, secret, ...sessions };
}

async function createCatalogue(root: ApiClient, name: string, isPublic: boolean): Promise<string> {
  const events = [...servedEvents(3, EVENTS)].map(({ row }) => row);
  const form = { name, is_public: isPublic, events };
  const { status, body } = await root.send<{ id: string }>("POST", "/api/catalogues", form);
  if (status !== 201) throw new Error(`creating a catalogue answered ${status}`);
  return body.id;
}

function createSessions(url: string, root: ApiClient): Pick<World, "tokenOf" | "renew"> {
  const tokens = new Map<Role, string>();
  const renewing = new Map<Role, Promise<void>>();

  async function open(role: Role): Promise<void> {
    const email = `${crypto.randomUUID()}@example.org`;
    const form = { name: role, email, password: PASSWORD };
    const guest = createApiClient(url);
    const { body } = await guest.send<{ user?: { id: string } }>(
      "POST",
      "/api/auth/register",
      form,
    );
    // Where the service sheds load, the next request that misses its session tries again.
    if (body.user === undefined) return;
    await root.send("PATCH", `/api/users/${body.user.id}`, { role });
    tokens.set(role, await sessionToken(url, { email, password: PASSWORD }).catch(() => ""));
  }
  return {
    tokenOf: (role) => tokens.get(role) ?? null,
    renew(role) {
      if (role === "guest") return Promise.resolve();
      const running = renewing.get(role) ?? open(role).finally(() => renewing.delete(role));
      renewing.set(role, running);
      return running;
    },
  };
}
