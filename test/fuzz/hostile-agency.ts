import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../support/random.ts";
import { baseFiles, mutateBytes } from "./spoil.ts";
import { hostileText } from "./values.ts";

export type HostileAgency = {
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
export async function startHostileAgency(random: Random): Promise<HostileAgency> {
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
