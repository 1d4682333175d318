import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { describe, expect, it, onTestFinished } from "vitest";
import { Unavailable } from "#infra/event-log/errors.ts";
import { NO_STREAM } from "#infra/event-log/event-log.ts";
import { newEvents, uniqueName } from "../../contract/event-log/new-events.ts";
import { failureOf } from "../../support/eventstore/bare-client.ts";
import { openAdapter, serverForTest } from "./open-adapter.ts";

const DAY_MS = 86_400_000;

type Certificate = Awaited<ReturnType<typeof certificateFor>>;

/** Of an authority of its own, valid from the day before `daysFromNow` on for a day and a half. */
function certificateFor(ip: string, daysFromNow = 0) {
  const from = Date.now() + (daysFromNow - 1) * DAY_MS;
  return generate([{ name: "commonName", value: ip }], {
    keyType: "ec",
    notBeforeDate: new Date(from),
    notAfterDate: new Date(from + 1.5 * DAY_MS),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip }] }],
  });
}

async function fileOf({ cert }: Certificate): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "certificates-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "ca.pem");
  await writeFile(path, cert);
  return path;
}

/** A server over TLS, and the connection string of a client that trusts `trusted`. */
async function serverWith(certificate: Certificate, trusted: Certificate | null) {
  const { url, port } = await serverForTest({ certificate });
  const authority = trusted === null ? "" : `&tlsCAFile=${await fileOf(trusted)}`;
  return { url: `${url}${authority}`, port };
}

const DIRECT = (url: string): string => url;
const DISCOVERED = (url: string): string =>
  `${url.replace("esdb://", "esdb+discover://")}&maxDiscoverAttempts=2`;

it("an event store is written to over TLS with a certificate that is trusted", async () => {
  const certificate = await certificateFor("127.0.0.1");
  const log = openAdapter(await serverWith(certificate, certificate));
  const stream = uniqueName("stream");
  expect(await log.append(stream, NO_STREAM, newEvents(2))).toMatchObject({ revision: 1 });
  expect(await log.read(stream, 0, 10)).toHaveLength(2);
});

describe.each([
  ["asked directly", DIRECT],
  ["looked for among several", DISCOVERED],
])("an event store that is %s", (_, asked) => {
  it.each([
    ["is not trusted", "127.0.0.1", 0, false],
    ["has expired", "127.0.0.1", -3, true],
    ["is not valid yet", "127.0.0.1", 3, true],
    ["names another host", "192.0.2.1", 0, true],
  ])(
    "and whose certificate %s is refused with that reason",
    async (reason, ip, days, isTrusted) => {
      const certificate = await certificateFor(ip, days);
      const { url, port } = await serverWith(certificate, isTrusted ? certificate : null);
      const log = openAdapter({ url: asked(url) });
      const error = await failureOf(log.head());
      expect(error).toBeInstanceOf(Unavailable);
      expect(error).toMatchObject({ message: `the certificate of 127.0.0.1:${port} ${reason}` });
    },
  );

  it("and is not there at all cannot be reached, which says nothing of certificates", async () => {
    const certificate = await certificateFor("127.0.0.1");
    const server = await serverForTest({ certificate });
    await server.stop();
    const log = openAdapter({ url: asked(server.url) });
    expect(await failureOf(log.head())).toMatchObject({
      message: "the event store cannot be reached",
    });
  });
});
