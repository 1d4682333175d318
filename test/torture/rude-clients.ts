import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { FORMAT_OF } from "#contracts/fdsn/formats.ts";
import { EXPORT_FORMATS } from "#contracts/http/catalogue-export.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { askRudely, requestBytes, WAYS_OUT } from "../support/rude-client.ts";
import { acknowledged } from "./action.ts";
import { fillingUpload } from "./filling-upload.ts";
import { eventLine, type Ledger } from "./ledger.ts";
import type { PersistentClient } from "./persistent-client.ts";

/** Who the clients without manners are, and what they ask for. */
export type Rudeness = {
  readonly token: string;
  /** A catalogue whose export is larger than what the sockets of both sides take. */
  readonly catalogueId: string;
  readonly upload: Buffer;
};

const EVENTS = 12_000;
const LINGER_MS = 400;
/** Longer than a client is waited for that takes nothing, on a busy machine too. */
const NOTHING_TAKEN_MS = 100_000;
const BOUNDARY = "rude";

export async function prepareRudeness(
  send: PersistentClient,
  ledger: Ledger,
  adminToken: string,
): Promise<Rudeness> {
  const account = { name: "Rude", email: "rude@example.org", password: "a long rude password" };
  const created = await send<{ user: { id: string } }>({
    method: "POST",
    path: "/api/auth/register",
    body: account,
  });
  const path = `/api/users/${created.body.user.id}`;
  await send({ method: "PATCH", path, body: { role: "editor" }, token: adminToken });
  const { email, password } = account;
  const login = { method: "POST", path: "/api/auth/login", body: { email, password } } as const;
  const { token } = (await send<{ token: string }>(login)).body;
  const catalogueId = await createLarge({ send, ledger }, adminToken);
  const form = new Response(fillingUpload());
  const upload = requestBytes({
    method: "POST",
    path: "/api/upload",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": form.headers.get("content-type") ?? BOUNDARY,
    },
    body: Buffer.from(await form.arrayBuffer()),
  });
  return { token, catalogueId, upload };
}

/** Changed by nobody: noted once. */
async function createLarge(
  deps: { readonly send: PersistentClient; readonly ledger: Ledger },
  token: string,
): Promise<string> {
  const events = [...generateEvents(1, EVENTS)];
  const name = "large";
  const body = { name, events };
  const call = { method: "POST", path: "/api/catalogues", body, token } as const;
  const answer = await acknowledged<{ id: string }>(deps, call, ({ status }) => status === 201);
  const { id } = answer.body;
  const lines = events.map(({ source_id, time, magnitude }) => [
    String(source_id),
    eventLine({ time, magnitude }),
  ]);
  const noted = new Map(lines as [string, string][]);
  deps.ledger.catalogues.set(id, { id, name, isPublic: false, events: noted, versions: new Map() });
  return id;
}

/** Asks for something large and leaves at any moment, in any way. */
export async function leaveEarly(
  url: string,
  rudeness: Rudeness,
  random: () => number,
): Promise<void> {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const path = pick([
    exportPath(rudeness, random),
    pagePath(rudeness),
    queryPath(rudeness, random),
  ]);
  const request = random() < 0.3 ? rudeness.upload : get(rudeness, path);
  const sends = random() < 0.8 ? request.length : Math.floor(random() * request.length);
  await askRudely(url, request, {
    leaves: pick(WAYS_OUT),
    sends,
    takes: random() < 0.5 ? 0 : Math.floor(random() * pick([2_000, 5_000_000])),
    lingers: () => delay(random() ** 2 * LINGER_MS),
  });
}

/** Asks for something large and takes nothing of it. @returns what is wrong */
export async function takeNothing(url: string, rudeness: Rudeness): Promise<string | null> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  socket.write(
    get(
      rudeness,
      exportPath(rudeness, () => 0, "quakeml"),
    ),
  );
  await delay(NOTHING_TAKEN_MS);
  return (await isWhole(socket)) ? "a client that took nothing was not cut off" : null;
}

/** Whether what comes to its end is a whole answer, in chunks (RFC 9112, 7.1). */
async function isWhole(socket: Socket): Promise<boolean> {
  let end = "";
  socket.on("data", (piece) => {
    end = (end + piece.toString("latin1")).slice(-5);
  });
  if (!socket.closed) {
    const closed = new Promise((resolve) => socket.once("close", resolve));
    await Promise.race([closed, once(socket, "end").catch(() => undefined)]);
  }
  socket.destroy();
  return end === "0\r\n\r\n";
}

function get({ token }: Rudeness, path: string): Buffer {
  return requestBytes({
    path,
    headers: { authorization: `Bearer ${token}`, connection: "close" },
  });
}

function exportPath({ catalogueId }: Rudeness, random: () => number, format?: string): string {
  const formats = Object.keys(EXPORT_FORMATS);
  const chosen = format ?? formats[Math.floor(random() * formats.length)];
  return `/api/catalogues/${catalogueId}/export?format=${chosen}`;
}

function queryPath({ catalogueId }: Rudeness, random: () => number): string {
  const formats = Object.keys(FORMAT_OF);
  const chosen = formats[Math.floor(random() * formats.length)];
  return `/api/catalogues/${catalogueId}/fdsnws/event/1/query?format=${chosen}`;
}

function pagePath({ catalogueId }: Rudeness): string {
  return `/api/catalogues/${catalogueId}/events/filtered`;
}
