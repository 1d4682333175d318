import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sessionToken, signIn } from "../../support/api-client.ts";
import { cli } from "../../support/cli.ts";
import { type FeedMessage, followEvents } from "../../support/feed-client.ts";
import {
  createOlderInstallation,
  INSTALLATIONS,
  rowsAfter,
} from "../../support/older-installation.ts";
import { type RunningService, runService } from "../../support/run-service.ts";
import { ADMIN } from "../../support/start-test-service.ts";

/** An answer as the older service gave it, settled: its text, or a hash where that is long or no text. */
type OlderAnswer = { readonly etag: string | null } & (
  | { readonly body: string }
  | { readonly sha256: string }
);

type OlderAnswers = {
  /** By path, asked by an administrator. */
  readonly answers: Readonly<Record<string, OlderAnswer>>;
  /** The first messages of feeds by path. */
  readonly feeds: Readonly<Record<string, readonly FeedMessage[]>>;
};

/** The time at which an answer is made. */
const MADE_AT = /(<creationTime>|"generated":|, exported )[^<",]+/g;
/** What catalogues and histories have been given since: members that say nothing of their events. */
const MEMBERS_SINCE =
  /"bbox":\[[^\]]*\],(?="is_public")|"access":"\w+","editing":"all","parts":false,|"reason":null,/g;

/** The last number of migrations before bulletins. */
const BEFORE_BULLETINS = "0031";

/** What a service on the database of the older one answers; it is migrated at the first start. */
async function answersNow(databaseUrl: string, older: OlderAnswers): Promise<OlderAnswers> {
  const service = await runService({}, { databaseUrl, eventLog: "postgres" });
  try {
    return { answers: await askAll(service, older), feeds: await followAll(service, older) };
  } finally {
    await service.stop();
  }
}

async function askAll(
  { url }: RunningService,
  older: OlderAnswers,
): Promise<OlderAnswers["answers"]> {
  const admin = await signIn(url, ADMIN);
  const now: Record<string, OlderAnswer> = {};
  for (const [path, before] of Object.entries(older.answers)) {
    const answer = await admin.stream(path);
    const bytes = settled(Buffer.from(await answer.arrayBuffer()));
    const etag = answer.headers.get("etag");
    now[path] =
      "body" in before
        ? { etag, body: bytes.toString() }
        : { etag, sha256: createHash("sha256").update(bytes).digest("hex") };
  }
  return now;
}

/** Without what differs at every time. Byte by byte, so that it holds for answers that are no text. */
function settled(answer: Buffer): Buffer {
  const text = answer.toString("latin1").replaceAll(MADE_AT, "$1").replaceAll(MEMBERS_SINCE, "");
  return Buffer.from(text, "latin1");
}

async function followAll(
  { url }: RunningService,
  older: OlderAnswers,
): Promise<OlderAnswers["feeds"]> {
  const token = await sessionToken(url, ADMIN);
  const now: Record<string, readonly FeedMessage[]> = {};
  for (const [path, before] of Object.entries(older.feeds)) {
    const feed = await followEvents(`${url}${path}`, { token });
    now[path] = await feed.take(before.length);
    feed.close();
  }
  return now;
}

test("the older installation has chunks of formats 1 and 2", async () => {
  const { "event_log.events": events = [] } = await rowsAfter(BEFORE_BULLETINS);
  const formats = events
    .map(({ payload }) => String(payload))
    .filter((payload) => payload.startsWith("\\x"))
    .map((payload) => Buffer.from(payload.slice(2), "hex")[3]);
  expect(new Set(formats)).toEqual(new Set([1, 2]));
});

test("every answer about catalogues from before bulletins is as it was to the byte, also after a rebuild", async () => {
  const file = join(INSTALLATIONS, `${BEFORE_BULLETINS}.answers.json`);
  const older: OlderAnswers = JSON.parse(await readFile(file, "utf8"));
  const { url, drop } = await createOlderInstallation(BEFORE_BULLETINS);
  expect(await answersNow(url, older)).toEqual(older);
  for (const command of ["verify", "rebuild", "verify"]) {
    const { exitCode, lines } = await cli({ DATABASE_URL: url }, command, "catalogues");
    expect(exitCode, lines.join("\n")).toBe(0);
  }
  expect(await answersNow(url, older)).toEqual(older);
  await drop();
});
