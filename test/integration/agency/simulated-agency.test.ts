import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { idOf } from "../../support/agency/life/life.ts";
import { expectedAt } from "../../support/agency/life/oracle.ts";
import { startPushServer } from "../../support/agency/life/push-server.ts";
import {
  type SimulatedAgency,
  type SimulationOptions,
  startSimulatedAgency,
} from "../../support/agency/life/simulated-agency.ts";
import { ALL, fetchAll, idsOf, useClient } from "./use-agency.ts";

const YEAR = 365 * 86_400_000;

async function useLife(options: SimulationOptions): Promise<SimulatedAgency> {
  const agency = await startSimulatedAgency(options);
  onTestFinished(agency.close);
  return agency;
}

async function answerOf(url: string, query: string) {
  const response = await fetch(`${url}/query?${query}`);
  return { status: response.status, text: await response.text() };
}

test.each(["fdsn", "geonet", "comcat", "seiscomp", "isc", "emsc"] as const)(
  "an agency that lives gives in %s what it has at each moment",
  async (dialect) => {
    const agency = await useLife({ seed: 5, eventCount: 300, dialect });
    const { client } = useClient(agency.url, { dialect });
    for (const years of [1, 4, 10]) {
      const atMs = agency.life.fromMs + years * YEAR;
      await agency.advanceTo(atMs);
      const window = { fromMs: agency.life.fromMs, toMs: Date.parse(ALL.endTime) };
      const expected = [...expectedAt(agency.life, atMs, window).keys()].sort();
      const { events, errors } = await fetchAll(client, ALL);
      expect(errors).toEqual([]);
      expect(idsOf(events)).toEqual(expected);
    }
  },
);

test("ComCat's answers tell when an event was changed and all its ids", async () => {
  const agency = await useLife({ seed: 6, eventCount: 200, dialect: "comcat" });
  await agency.advanceTo(agency.life.toMs - 1);
  const { text } = await answerOf(agency.url, "format=geojson&starttime=2015-01-01");
  const { features } = JSON.parse(text) as {
    features: { id: string; properties: { updated: number; ids: string } }[];
  };
  const has = agency.life.eventsAt(agency.life.toMs);
  expect(features.map(({ id }) => id).sort()).toEqual([...has.keys()].sort());
  for (const { id, properties } of features) {
    expect(properties.updated).toBe(has.get(id)?.updatedMs);
    expect(properties.ids).toBe(`,${has.get(id)?.ids?.join(",")},`);
  }
  expect(features.some(({ properties }) => properties.ids.split(",").length > 3)).toBe(true);
});

test("updatedafter leaves out what is older, and what an agency does not tell", async () => {
  const honest = await useLife({ seed: 8, eventCount: 200, dialect: "geonet" });
  const lying = await useLife({ seed: 8, eventCount: 200, dialect: "geonet", lies: 0.5 });
  const since = honest.life.fromMs + 9 * YEAR;
  const query = `format=text&updatedafter=${new Date(since).toISOString()}`;
  const idsFrom = async (agency: SimulatedAgency) => {
    await agency.advanceTo(agency.life.toMs - 1);
    const { text } = await answerOf(agency.url, query);
    return text
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split("|")[0]);
  };
  const changed = [...honest.life.eventsAt(honest.life.toMs).values()]
    .filter(({ updatedMs = 0 }) => updatedMs >= since)
    .map(idOf);
  expect((await idsFrom(honest)).sort()).toEqual(changed.sort());
  const told = await idsFrom(lying);
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThan(changed.length);
  expect((await answerOf(lying.url, "format=text&starttime=2015-01-01")).status).toBe(200);
});

test("each dialect refuses in its own way", async () => {
  const of = async (options: Omit<SimulationOptions, "seed">, query: string) => {
    const agency = await useLife({ seed: 9, eventCount: 50, cap: 10, ...options });
    await agency.advanceTo(agency.life.toMs - 1);
    return answerOf(agency.url, query);
  };
  expect(await of({ dialect: "geonet" }, "starttime=2015-01-01")).toMatchObject({ status: 413 });
  const usgs = await of({ dialect: "comcat" }, "starttime=2015-01-01");
  expect(usgs.status).toBe(400);
  expect(usgs.text).toMatch(/matching events exceeds search limit of 10\n\nUsage details/);
  const emsc = await of({ dialect: "emsc" }, "starttime=2015-01-01&format=text");
  expect(emsc.text.trim().split("\n")).toHaveLength(11);
  expect(await of({ dialect: "comcat" }, "includearrivals=true")).toMatchObject({ status: 501 });
  const crossing = "minlongitude=170&maxlongitude=-170";
  expect(await of({ dialect: "comcat" }, crossing)).toMatchObject({ status: 400 });
  expect(await of({ dialect: "geonet" }, "limit=5")).toMatchObject({ status: 400 });
  expect(await of({ dialect: "seiscomp" }, "updatedafter=2020-01-01")).toMatchObject({
    status: 400,
  });
  expect(await of({ dialect: "isc" }, "format=text")).toMatchObject({ status: 400 });
});

test("an agency refuses connections while an outage lasts, and is there again afterwards", async () => {
  const agency = await useLife({ seed: 11, eventCount: 50, outageEveryMs: YEAR / 4 });
  const refusing = agency.outages.find(({ kind }) => kind.kind === "refused");
  const limited = agency.outages.find(({ kind }) => kind.kind === "status" && kind.status === 429);
  if (refusing === undefined || limited === undefined) throw new Error("seed without such outages");
  const visits = [
    [refusing.fromMs, "refused"],
    [refusing.toMs, 200],
    [limited.fromMs, 429],
    [limited.toMs, 200],
  ] as const;
  for (const [atMs, outcome] of visits.toSorted(([a], [b]) => a - b)) {
    await agency.advanceTo(atMs);
    const asked = answerOf(agency.url, "format=text&starttime=2014-01-01").then(
      ({ status }) => status,
      () => "refused",
    );
    expect(await asked).toBe(outcome);
  }
});

test("changes are pushed in EMSC's messages to who is connected", async () => {
  const server = await startPushServer();
  onTestFinished(server.close);
  const agency = await useLife({ seed: 12, eventCount: 100, onChange: server.tell });
  const socket = new WebSocket(server.url);
  await once(socket, "open");
  const received: { action: string; data: { id: string } }[] = [];
  socket.addEventListener("message", ({ data }) => received.push(JSON.parse(String(data))));
  await agency.advanceTo(agency.life.toMs - 1);
  const { changes } = agency.life;
  await expect.poll(() => received.length).toBe(changes.length);
  expect(received.map(({ data }) => data.id)).toEqual(
    changes.map(({ before, after }) => idOf(after ?? before ?? { row: {} })),
  );
  expect(new Set(received.map(({ action }) => action))).toEqual(
    new Set(["create", "update", "delete"]),
  );
  const closed = once(socket, "close");
  server.disconnect();
  await closed;
  await expect.poll(server.clients).toBe(0);
  expect(server.connections()).toBe(1);
});
