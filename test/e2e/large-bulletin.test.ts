import { afterAll, beforeAll, expect, test } from "vitest";
import type { UploadResult } from "#contracts/http/uploads.ts";
import { fileForm } from "../support/api/file-form.ts";
import { createFromFile } from "../support/api/whole-documents.ts";
import { type ApiClient, signIn } from "../support/api-client.ts";
import { useDatabase } from "../support/database.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";

const ADMIN = { email: "admin@example.org", password: "a long admin password" };
const PICKS = 100_000;
const TOO_MANY = 1_000_001;
const MAX_UPLOAD_MB = 80;
const TEST_TIMEOUT_MS = 300_000;

const database = useDatabase();
let service: ServiceProcess;
let client: ApiClient;
beforeAll(async () => {
  service = await startServiceProcess({
    DATABASE_URL: database.url,
    JWT_SECRET: "a secret of the tests alone, 32 long",
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    ...unlimitedFor(ADMIN),
    MAX_UPLOAD_MB: String(MAX_UPLOAD_MB),
  });
  client = await signIn(service.url, ADMIN);
});
afterAll(() => service.stop());

const ORIGIN =
  '<origin publicID="smi:x.y/or"><time><value>2024-01-01T00:00:00Z</value></time>' +
  "<latitude><value>1</value></latitude><longitude><value>2</value></longitude></origin>";

function documentOf(...events: readonly string[]): string {
  return (
    '<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml/1.2" xmlns="http://quakeml.org/xmlns/bed/1.2">' +
    `<eventParameters publicID="smi:x.y/all">${events.join("")}</eventParameters></q:quakeml>`
  );
}

const eventOf = (id: string, content: string) =>
  `<event publicID="smi:x.y/${id}">${ORIGIN}${content}</event>`;

/** About 650 bytes each, as agencies write them. */
const pickOf = (_: unknown, i: number) =>
  `<pick publicID="smi:x.y/pick/${i}"><time><value>2024-01-01T00:00:${10 + (i % 50)}.${i}Z</value><uncertainty>0.0${(i % 9) + 1}</uncertainty></time>` +
  `<waveformID networkCode="NZ" stationCode="S${i % 999}" channelCode="HHZ" locationCode="10"/><onset>impulsive</onset><phaseHint>P</phaseHint>` +
  `<polarity>positive</polarity><evaluationMode>manual</evaluationMode><methodID>smi:x.y/method/${i % 7}</methodID>` +
  `<creationInfo><agencyID>XY</agencyID><author>somebody@host.example.org</author><creationTime>2024-01-02T00:00:00.${i}Z</creationTime></creationInfo>` +
  `<comment id="c${i}"><text>${"read by hand on the vertical component ".repeat(4)}</text></comment></pick>`;

/** Asks for a small answer again and again, until what is done meanwhile has ended. */
async function besides<T>(doing: Promise<T>): Promise<T> {
  let isDone = false;
  let answers = 0;
  const asking = (async () => {
    while (!isDone) {
      const { status } = await client.get("/api/catalogues");
      expect(status).toBe(200);
      answers++;
    }
  })();
  const done = await doing.finally(() => {
    isDone = true;
  });
  await asking;
  expect(answers).toBeGreaterThan(3);
  return done;
}

test(
  `an event of ${PICKS} picks is kept and served whole while others are answered`,
  async () => {
    const document = documentOf(eventOf("big", Array.from({ length: PICKS }, pickOf).join("")));
    expect(document.length).toBeGreaterThan(60_000_000);
    const { id, validationReport } = await besides(createFromFile(client, document));
    expect(validationReport.elements?.["pick"]).toEqual({ read: PICKS, kept: PICKS, dropped: 0 });
    type Events = { events: readonly { id: string; bulletin_counts: { picks: number } }[] };
    const { body } = await client.get<Events>(`/api/catalogues/${id}/events`);
    const [event] = body.events;
    expect(event?.bulletin_counts.picks).toBe(PICKS);
    const catalogue = `/api/catalogues/${id}`;
    for (const path of [
      `${catalogue}/events/${event?.id}/bulletin`,
      `${catalogue}/events/${event?.id}?include=bulletin`,
      `${catalogue}/events/filtered?include=bulletin`,
      `${catalogue}/export?format=quakeml`,
      `${catalogue}/export?format=json&include=bulletin`,
    ]) {
      const text = await besides(client.stream(path).then((answer) => answer.text()));
      expect(text.split(`smi:x.y/pick/`).length - 1, path).toBe(PICKS);
    }
  },
  TEST_TIMEOUT_MS,
);

test(
  "an event beyond the limits is told and left out, the next one is kept",
  async () => {
    const comments = "<comment><text>a</text></comment>".repeat(TOO_MANY);
    const document = documentOf(eventOf("many", comments), eventOf("next", ""));
    const form = fileForm(document, { fileName: "events.xml" });
    const { status, body } = await besides(client.send<UploadResult>("POST", "/api/upload", form));
    expect(status).toBe(200);
    expect(body).toMatchObject({ rowCount: 1, errorCount: 1 });
    expect(body.errors[0]?.message).toContain("1,000,000 elements");
  },
  TEST_TIMEOUT_MS,
);
