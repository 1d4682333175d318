import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createRecording, readRecording } from "#infra/agency/recording/recording.ts";
import { type ServeOptions, serveRecording } from "#infra/agency/recording/serve-recording.ts";
import { UsageError } from "#services/cli/run-cli.ts";
import { faultsInTurn } from "../../support/agency/fault.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { TestAgency, TestAgencyOptions } from "../../support/agency/test-agency.ts";
import { cli } from "../../support/cli.ts";
import { createTemporaryDirectory } from "../../support/temporary-directory.ts";
import { ALL, fetchAll, idsOf, useAgency, useClient } from "./use-agency.ts";

const run = promisify(execFile);
const PROGRAM = join(import.meta.dirname, "../../../services/cli/main.ts");
const ENDS = { startTime: "2017-01-01T00:00:00Z", endTime: "2018-12-31T23:59:59Z" };

async function useDirectory(): Promise<string> {
  const { path, remove } = await createTemporaryDirectory();
  onTestFinished(remove);
  return join(path, "recording");
}

type Scene = { readonly agency: TestAgency; readonly directory: string };

/** A recording of all that a generated agency has, or of a window of it. */
async function recorded(options: TestAgencyOptions = {}, query = ALL): Promise<Scene> {
  const agency = await useAgency({ events: servedEvents(1, 120), picks: 2, ...options });
  const directory = await useDirectory();
  const { dialect = "fdsn" } = options;
  const recording = await createRecording(directory, { name: "Test", url: agency.url, dialect });
  const { client } = useClient(agency.url, { dialect, through: recording.record, retries: 5 });
  await fetchAll(client, query);
  return { agency, directory };
}

async function open(directory: string, options: Partial<ServeOptions> = {}) {
  const choice = { port: 0, isWhole: false, without: new Set<string>(), ...options };
  const served = await serveRecording(await readRecording(directory), choice);
  onTestFinished(served.close);
  return served;
}

async function serve(directory: string, options?: Partial<ServeOptions>): Promise<string> {
  return (await open(directory, options)).url;
}

test("a recording answers recorded requests to the byte", async () => {
  for (const [dialect, format] of [
    ["fdsn", "xml"],
    ["geonet", "xml"],
    ["comcat", "xml"],
    ["isc", "isf"],
  ] as const) {
    const { agency, directory } = await recorded({ dialect });
    const url = await serve(directory);
    expect(agency.requests.length, dialect).toBeGreaterThan(1);
    for (const { parameters } of [...agency.requests]) {
      expect(parameters["format"]).toBe(format);
      const search = new URLSearchParams(parameters);
      const [was, is] = await Promise.all(
        [agency.url, url].map((one) => fetch(`${one}/query?${search}`)),
      );
      expect(is?.status).toBe(was?.status);
      expect(is?.headers.get("content-type")).toBe(was?.headers.get("content-type"));
      expect(await is?.text(), dialect).toBe(await was?.text());
    }
  }
});

test("other windows and filters within a recording are answered from its events", async () => {
  for (const [detail, dialect] of [
    ["full", "fdsn"],
    ["full", "isc"],
    ["summary", "geonet"],
  ] as const) {
    const { agency, directory } = await recorded({ dialect }, { ...ALL, detail });
    const url = await serve(directory);
    const query = { ...ENDS, detail, minMagnitude: 2.1, minLongitude: 175, maxLongitude: -179 };
    const [was, is] = await Promise.all(
      [agency.url, url].map((one) => fetchAll(useClient(one, { dialect }).client, query)),
    );
    expect(was?.events.length, dialect).toBeGreaterThan(2);
    const byId = (fetched: typeof is) =>
      new Map(fetched?.events.map((event) => [event["source_id"], event]));
    expect(byId(is), dialect).toEqual(byId(was));
    expect(is?.errors).toEqual([]);
  }
});

test("what a recording does not hold is the standard's error, and nothing where it is whole", async () => {
  const { directory } = await recorded({}, { ...ENDS, detail: "summary" });
  const [narrow, whole] = [await serve(directory), await serve(directory, { isWhole: true })];
  const early = "query?format=text&starttime=2015-01-01&endtime=2015-02-01";
  const refused = await fetch(`${narrow}/${early}`);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toMatch(
    /^Error 400: Bad Request\n\nthe recording does not hold all that is asked for\n\nUsage details/,
  );
  expect((await fetch(`${whole}/${early}`)).status).toBe(204);
  expect((await fetch(`${whole}/query?format=xml`)).status).toBe(400);
  expect((await fetch(`${whole}/query?format=text&minmagnitude=big`)).status).toBe(400);
  expect((await fetch(`${whole}/catalogs`)).status).toBe(404);
  const all = await (await fetch(`${whole}/query?format=text`)).text();
  expect(all.trim().split("\n").length).toBeGreaterThan(5);
});

test("an event that is left out is withdrawn, whatever was recorded", async () => {
  const { agency, directory } = await recorded();
  const [first] = agency.catalogue.events();
  const id = String(first?.row["source_id"]);
  const url = await serve(directory, { without: new Set([id]) });
  const { events } = await fetchAll(useClient(url).client, ALL);
  const expected = agency.catalogue.events().map(({ row }) => String(row["source_id"]));
  expect(idsOf(events)).toEqual(expected.filter((one) => one !== id).sort());
});

test("an event is withdrawn and told of again while a recording is served", async () => {
  const { agency, directory } = await recorded();
  const ids = agency.catalogue.events().map(({ row }) => String(row["source_id"]));
  const [id = ""] = ids;
  const { url, pushUrl } = await open(directory);
  const change = (path: string) =>
    fetch(new URL(`/events/${path}`, url), { method: "POST" }).then((answer) => answer.text());
  const present = async () => idsOf((await fetchAll(useClient(url).client, ALL)).events);
  const socket = new WebSocket(pushUrl);
  onTestFinished(() => socket.close());
  await once(socket, "open");
  expect(await change(`${id}/withdraw`)).toBe(`${id} is withdrawn\n`);
  expect(await present()).toEqual(ids.filter((one) => one !== id).sort());
  const told = once(socket, "message");
  expect(await change(`${id}/tell`)).toBe(`${id} was told to 1 of those who listen\n`);
  expect(await present()).toEqual(ids.toSorted());
  const [{ data }] = await told;
  const { latitude, longitude, depth } = agency.catalogue.events()[0]?.row ?? {};
  const height = typeof depth === "number" ? -depth : null;
  expect(JSON.parse(data)).toMatchObject({
    action: "update",
    data: { id, geometry: { coordinates: [longitude, latitude, height] } },
  });
  expect(await change("nothing/tell")).toMatch(/^Error 404.*the recording has no such event/s);
});

test("refusals and answers that were cut are recorded as they were, and the last good answer counts", async () => {
  const agency = await useAgency({ events: servedEvents(1, 100) });
  agency.fail(
    faultsInTurn({ kind: "status", status: 503, retryAfter: "1" }, { kind: "reset" }, null),
  );
  const directory = await useDirectory();
  const recording = await createRecording(directory, {
    name: "Test",
    url: agency.url,
    dialect: "geonet",
  });
  const { client } = useClient(agency.url, { through: recording.record });
  const { events } = await fetchAll(client, ALL);
  const read = await readRecording(directory);
  const answers = read.answers.filter(({ request }) => request.startsWith("query"));
  expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([503, 200]);
  expect(answers[0]?.headers["retry-after"]).toBe("1");
  expect(answers.flatMap(({ broken }, i) => (broken === null ? [] : [i]))).toEqual([1]);
  expect(recording.counts().answers).toBe(read.answers.length);
  const again = await fetchAll(useClient(await serve(directory)).client, ALL);
  expect(idsOf(again.events)).toEqual(idsOf(events));
});

test("a directory that is no recording, or is used already, is told so", async () => {
  const { directory } = await recorded();
  const again = createRecording(directory, { name: "T", url: "http://a", dialect: "fdsn" });
  await expect(again).rejects.toThrow("is not empty");
  await expect(readRecording(import.meta.dirname)).rejects.toThrow("is no recording of an agency");
});

test("the programs record an agency and serve it again", async () => {
  const agency = await useAgency({ events: servedEvents(1, 120), picks: 2, dialect: "comcat" });
  const directory = await useDirectory();
  const window = ["--start", ENDS.startTime, "--end", ENDS.endTime, "--dialect", "comcat"];
  const record = (...args: string[]) => run(process.execPath, [PROGRAM, "agency-record", ...args]);
  const { stdout, stderr } = await record(directory, "--url", agency.url, ...window);
  expect(stdout.trim()).toBe(directory);
  expect(stderr).toMatch(/summary: \d+ events.*full: \d+ events.*answers, .* MB, are in/s);
  const child = spawn(process.execPath, [PROGRAM, "agency-serve", directory]);
  const ended = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  for await (const url of createInterface({ input: child.stdout })) {
    const clients = [url, agency.url].map((one) => useClient(one, { dialect: "comcat" }).client);
    const query = { ...ENDS, startTime: "2017-02-03T00:00:00Z", detail: "full" } as const;
    const [served, had] = await Promise.all(clients.map((client) => fetchAll(client, query)));
    expect(had?.events.length).toBeGreaterThan(4);
    expect(idsOf(served?.events ?? [])).toEqual(idsOf(had?.events ?? []));
    const signal = AbortSignal.timeout(20_000);
    const listed: string[] = [];
    for await (const { events } of clients[0]?.listEvents(query, { signal }) ?? []) {
      listed.push(...idsOf(events.map(({ event }) => event)));
    }
    expect(listed.sort()).toEqual(idsOf(had?.events ?? []));
    break;
  }
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  const command = (...args: string[]) => cli({}, "agency-record", ...args);
  const misused = await command(directory, "--url", "ftp://agency").catch(
    (error: unknown) => error,
  );
  expect(misused).toBeInstanceOf(UsageError);
  expect(String(misused)).toMatch(/--url takes.*\nUsage: npm run/s);
  const used = command(directory, "--url", agency.url, ...window);
  await expect(used).rejects.toThrow(/is not empty/);
  expect((await command("--help")).lines.join()).toMatch(/^Usage: npm run agency:record/);
});
