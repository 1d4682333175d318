import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { servedEvents } from "../support/agency/generated-events.ts";
import { type ApiClient, createApiClient, sessionToken } from "../support/api-client.ts";
import type { Random } from "../support/random.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";
import { ROLES, type Role } from "./judge.ts";
import { createKnownIds, type KnownIds } from "./known-ids.ts";
import { baseFiles, mutateBytes } from "./spoil.ts";
import { hostileText } from "./values.ts";

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

type HostileAgency = {
  readonly url: string;
  /** How many requests it has answered. */
  readonly answered: () => number;
  readonly close: () => Promise<void>;
};

/** So often an answer is spoiled anywhere; else in its values, which leaves its rows to be read. */
const BROKEN_SHARE = 0.03;
/** So often the answer's head is what is wrong with it. */
const HEAD_SHARE = 0.03;
const VALUE_SHARE = 0.05;

const CONTENT_TYPES = [
  "application/xml",
  "text/xml",
  "text/plain; charset=utf-16",
  "text/html",
  "application/octet-stream",
  "",
];

type Head = { readonly status: number; readonly headers: Readonly<Record<string, string>> };

const HEADS: readonly Head[] = [
  { status: 204, headers: {} },
  { status: 302, headers: { location: "http://127.0.0.1:9/elsewhere" } },
  { status: 302, headers: { location: "::" } },
  { status: 400, headers: {} },
  { status: 413, headers: {} },
  { status: 429, headers: { "retry-after": "-1" } },
  { status: 503, headers: { "retry-after": "Thu, 99 Foo 2024" } },
  { status: 200, headers: { "content-encoding": "gzip" } },
  { status: 200, headers: { "content-encoding": "unknown" } },
  { status: 299, headers: { "x-long": "x".repeat(10_000) } },
];

/** An agency on the loopback whose answers are hostile. */
async function startHostileAgency(random: Random): Promise<HostileAgency> {
  const files = baseFiles().filter(({ name }) => name.startsWith("agency."));
  let count = 0;

  function answer(url: URL, response: ServerResponse): void {
    count += 1;
    const name = url.searchParams.get("format") === "text" ? "agency.txt" : "agency.xml";
    const bytes = files.find((file) => file.name === name)?.bytes ?? Buffer.alloc(0);
    const others = files.map((file) => file.bytes);
    const { status, headers } = random.chance(HEAD_SHARE)
      ? random.pick(HEADS)
      : { status: 200, headers: { "content-type": random.pick(CONTENT_TYPES) } };
    response.writeHead(status, headers);
    response.end(
      random.chance(BROKEN_SHARE)
        ? mutateBytes(bytes, random, others)
        : spoilValues(bytes.toString(), name, random),
    );
  }

  const server = createServer((request, response) => {
    answer(new URL(request.url ?? "/", "http://agency"), response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/fdsnws/event/1`,
    answered: () => count,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The document with some of its values replaced: those between tags, or between bars. */
function spoilValues(text: string, name: string, random: Random): string {
  if (name === "agency.txt") {
    return text.replaceAll(/[^|\n]+/g, (cell) =>
      random.chance(VALUE_SHARE) ? hostileText(random).slice(0, 2_000) : cell,
    );
  }
  return text.replaceAll(/>([^<>\s][^<>]*)</g, (value) =>
    random.chance(VALUE_SHARE) ? `>${escapeXml(hostileText(random).slice(0, 2_000))}<` : value,
  );
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/[^\t\n\P{Cc}]/gu, "?");
}
