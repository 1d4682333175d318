import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { createApiClient } from "../support/api-client.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { arcDegrees, awkwardEvents, type ClientEvent, isPole } from "./support/events.ts";

const EVENTS = awkwardEvents(48);
/** A second version adds these. */
const LATER = EVENTS.slice(40);
const FIRST = EVENTS.slice(0, 40);
const NAME = "Awkward events";

type Given = Readonly<Record<string, unknown>>;
type Case = {
  readonly base: string;
  readonly client?: Given;
  readonly show?: boolean;
  readonly events?: Given;
};
type Result = {
  readonly services: string[];
  readonly catalogs: string[];
  readonly contributors: string[];
  readonly shown: string;
  readonly events?: (Omit<ClientEvent, "source_id" | "agency_id" | "region"> & {
    readonly id: string;
    readonly description: string[];
    readonly resolved: boolean;
  })[];
  readonly error?: string;
  readonly message?: string;
  readonly printed: string;
  readonly warnings: string[];
};

const service = await useReachableService();
let base = "";
let shared = "";
let secret = "";
/** When the second version was committed. */
let between = "";

beforeAll(async () => {
  if (!hasPython) return;
  const editor = await service.loginAs("editor");
  const form = { name: NAME, events: FIRST, is_public: true };
  const { id } = await createCatalogue(editor, form);
  base = `${service.url}/api/catalogues/${id}`;
  await editor.send("POST", `/api/catalogues/${id}/events`, { events: LATER });
  const { body } = await editor.get<{ versions: { version: number; created_at: string }[] }>(
    `/api/catalogues/${id}/versions`,
  );
  between = body.versions.find(({ version }) => version === 1)?.created_at ?? "";
  const hidden = await createCatalogue(editor, { name: "Hidden", events: FIRST });
  secret = `${service.url}/api/catalogues/${hidden.id}`;
  const share = await editor.send<{ share: { url: string } }>(
    "POST",
    `/api/catalogues/${hidden.id}/shares`,
    {},
  );
  shared = share.body.share.url;
});

async function ask(cases: readonly Case[]): Promise<Result[]> {
  return runPython<Result[]>("obspy_client.py", { input: cases });
}

const timesOf = (events: readonly { readonly time: string }[] | undefined) =>
  (events ?? []).map(({ time }) => time);
/** As the service answers without an order: the latest first. */
const newestFirst = (events: readonly ClientEvent[]) => timesOf(events).toSorted().toReversed();

describe.skipIf(!hasPython)("ObsPy's Client", () => {
  test("reads a catalogue, a version, a time, a share and the root, each with nothing but its address", async () => {
    const after = new Date(Date.now() + 3_600_000).toISOString().replace(/[-:]|\.\d+/g, "");
    const all = newestFirst(EVENTS);
    const first = newestFirst(FIRST);
    const bases: [Case, string[], string[]][] = [
      [{ base }, all, [NAME]],
      [{ base: `${base}/` }, all, [NAME]],
      [{ base: `${base}/versions/1` }, first, [NAME]],
      [{ base: `${base}/versions/2` }, all, [NAME]],
      [{ base: `${base}/at/${after}` }, all, [NAME]],
      [{ base: shared }, first, ["Hidden"]],
      [{ base: service.url, events: { catalog: NAME } }, all, [NAME]],
    ];
    const results = await ask(
      bases.map(([given]) => ({ ...given, show: true, events: given.events ?? {} })),
    );
    for (const [i, [given, times, catalogs]] of bases.entries()) {
      const { services = [], shown = "", ...result } = results[i] ?? ({} as Result);
      expect({ base: given.base, ...result, events: timesOf(result.events) }).toMatchObject({
        base: given.base,
        events: times,
        catalogs,
        warnings: [],
        printed: "",
      });
      expect(result.error).toBeUndefined();
      expect(services).toEqual(["event"]);
      expect(shown).toContain("'event' (v1.2.0)");
      expect(result.contributors).toEqual(given.base === service.url ? [] : ["GFZ", "NEIC", "WEL"]);
    }
  });

  test("reads every event as it was given, and all its preferred ids lead to what is in it", async () => {
    const [result] = await ask([{ base, events: { orderby: "time-asc" } }]);
    expect(result?.error).toBeUndefined();
    for (const [i, event] of (result?.events ?? []).entries()) {
      const { time, latitude, longitude, magnitude, magnitude_type, event_type } = EVENTS[
        i
      ] as ClientEvent;
      expect(event).toMatchObject({ time, latitude, longitude, magnitude, magnitude_type });
      expect(event).toMatchObject({ event_type, resolved: true });
      const depth = EVENTS[i]?.depth ?? null;
      if (depth === null) expect(event.depth).toBeNull();
      else expect(event.depth).toBeCloseTo(depth, 9);
      expect(event.description[0]).toBeTruthy();
      expect(event.id).toMatch(/^smi:[\w.-]+\/event\/\w+$/);
    }
    expect(result?.events).toHaveLength(EVENTS.length);
  });

  test("selects by every argument of get_events what a filter of the same events selects", async () => {
    const known =
      (of: (event: ClientEvent) => number | null, test: (value: number) => boolean) =>
      (event: ClientEvent) => {
        const value = of(event);
        return value !== null && test(value);
      };
    const mag = (test: (value: number) => boolean) => known(({ magnitude }) => magnitude, test);
    const deep = (test: (value: number) => boolean) => known(({ depth }) => depth, test);
    const arc =
      (latitude: number, longitude: number, test: (degrees: number) => boolean) =>
      (event: ClientEvent) =>
        test(arcDegrees([latitude, longitude], [event.latitude, event.longitude]));
    const cases: [Given, (event: ClientEvent) => boolean][] = [
      [{ starttime: "2016-01-01" }, ({ time }) => time >= "2016-01-01"],
      [{ endtime: "2016-01-01" }, ({ time }) => time <= "2016-01-01"],
      [
        { starttime: EVENTS[3]?.time, endtime: EVENTS[9]?.time },
        (event) => EVENTS.indexOf(event) >= 3 && EVENTS.indexOf(event) <= 9,
      ],
      [{ minlatitude: 0 }, ({ latitude }) => latitude >= 0],
      [{ maxlatitude: -20.25 }, ({ latitude }) => latitude <= -20.25],
      [{ minlongitude: 170 }, (event) => event.longitude >= 170 || isPole(event)],
      [
        { maxlongitude: -100 },
        (event) => event.longitude <= -100 || event.longitude === 180 || isPole(event),
      ],
      [
        { minlongitude: 170, maxlongitude: -170 },
        (event) => Math.abs(event.longitude) >= 170 || isPole(event),
      ],
      [
        { minlongitude: 170, maxlongitude: 190 },
        (event) => Math.abs(event.longitude) >= 170 || isPole(event),
      ],
      [{ latitude: 89, longitude: 20, maxradius: 2 }, arc(89, 20, (degrees) => degrees <= 2)],
      [
        { latitude: 0, longitude: -179, minradius: 5, maxradius: 25 },
        arc(0, -179, (degrees) => degrees >= 5 && degrees <= 25),
      ],
      [{ latitude: 0, longitude: 0, maxradius: 0.00001 }, arc(0, 0, (degrees) => degrees <= 1e-5)],
      [
        { latitude: -42.69, longitude: 173.02, maxradiuskm: 100 },
        arc(-42.69, 173.02, (d) => d < 1),
      ],
      [
        { latitude: -42.69, longitude: 173.02, minradiuskm: 100 },
        arc(-42.69, 173.02, (d) => d > 1),
      ],
      [{ mindepth: 15.1 }, deep((depth) => depth >= 15.1)],
      [{ maxdepth: 0 }, deep((depth) => depth <= 0)],
      [{ mindepth: -100, maxdepth: 1000 }, () => true],
      [{ minmagnitude: 5 }, mag((magnitude) => magnitude >= 5)],
      [{ maxmagnitude: 2.1 }, mag((magnitude) => magnitude <= 2.1)],
      [{ minmagnitude: -3, maxmagnitude: 10 }, () => true],
      [{ magnitudetype: "ML" }, ({ magnitude_type }) => magnitude_type === "ML"],
      [{ magnitudetype: "mB" }, ({ magnitude_type }) => magnitude_type === "mB"],
      [{ magnitudetype: "mb" }, ({ magnitude_type }) => magnitude_type === "mb"],
      [
        { eventtype: "earthquake" },
        ({ event_type }) => event_type === "earthquake" || event_type === null,
      ],
      [{ eventtype: "quarry blast,explosion" }, ({ event_type }) => /bl|ex/.test(event_type ?? "")],
      [{ includeallorigins: true }, () => true],
      [{ includeallmagnitudes: true }, () => true],
      [{ includearrivals: true }, () => true],
      [{ eventid: "ev7" }, ({ source_id }) => source_id === "ev7"],
      [{ eventid: "ev7,ev11" }, ({ source_id }) => source_id === "ev7" || source_id === "ev11"],
      [{ catalog: NAME }, () => true],
      [{ contributor: "WEL" }, ({ agency_id }) => agency_id === "WEL"],
      [{ updatedafter: between }, (event) => LATER.includes(event)],
      [{ asof: 1 }, (event) => FIRST.includes(event)],
      [
        { asof: 1, minmagnitude: 5 },
        (event) => FIRST.includes(event) && (event.magnitude ?? 0) >= 5,
      ],
    ];
    const results = await ask(cases.map(([events]) => ({ base, events })));
    for (const [i, [given, isSelected]] of cases.entries()) {
      const { error, message, events, warnings } = results[i] ?? ({} as Result);
      const expected = newestFirst(EVENTS.filter(isSelected));
      expect(expected, JSON.stringify(given)).not.toEqual([]);
      expect([given, error, message, timesOf(events), warnings]).toEqual([
        given,
        undefined,
        undefined,
        expected,
        [],
      ]);
    }
  });

  test("gets orders, pages and files as it asks for them", async () => {
    const sorted = newestFirst(EVENTS);
    const bySize = EVENTS.filter(({ magnitude }) => magnitude !== null).map((e) => e.magnitude);
    const [oldest, page, rest, largest, asText, ...pages] = await ask([
      { base, events: { orderby: "time-asc" } },
      { base, events: { limit: 7, offset: 8 } },
      { base, events: { offset: 45 } },
      { base, events: { orderby: "magnitude", minmagnitude: -3.5, limit: 5 } },
      { base, events: { format: "text", filename: true, orderby: "time-asc" } },
      ...[1, 8, 15, 22, 29, 36, 43].map((offset) => ({
        base: `${base}/versions/2`,
        events: { limit: 7, offset },
      })),
    ]);
    expect(timesOf(oldest?.events)).toEqual(sorted.toReversed());
    expect(timesOf(page?.events)).toEqual(sorted.slice(7, 14));
    expect(timesOf(rest?.events)).toEqual(sorted.slice(44));
    expect(largest?.events?.map(({ magnitude }) => magnitude)).toEqual(
      bySize.toSorted((a, b) => (b ?? 0) - (a ?? 0)).slice(0, 5),
    );
    expect(pages.flatMap(({ events }) => timesOf(events))).toEqual(sorted);
    expect(asText?.error).toBeUndefined();
    expect(timesOf(asText?.events)).toEqual(timesOf(EVENTS));
  });

  test("finds the service by service_mappings, with and without a slash at the end", async () => {
    const event = `${base}/fdsnws/event/1`;
    const results = await ask([
      { base, client: { service_mappings: { event } }, events: { limit: 1 } },
      { base, client: { service_mappings: { event, station: null } }, events: { limit: 1 } },
      { base, client: { service_mappings: { event: `${event}/` } }, events: { limit: 1 } },
      { base, client: { _discover_services: false }, events: { limit: 1 } },
    ]);
    for (const result of results) {
      expect([result.error, result.message]).toEqual([undefined, undefined]);
      expect(timesOf(result.events)).toEqual(newestFirst(EVENTS).slice(0, 1));
      expect(result.warnings).toEqual([]);
    }
  });

  test("raises its own exception for each kind of refusal, with what the service says", async () => {
    const unchecked = { _discover_services: false };
    const results = await ask([
      { base, events: { minmagnitude: 99 } },
      { base, events: { minlatitude: 91 } },
      { base, events: { eventtype: "party" } },
      { base, events: { asof: 99 } },
      { base: `${base}/versions/99`, client: unchecked, events: {} },
      { base: secret, client: unchecked, events: {} },
      { base: secret },
    ]);
    const [none, latitude, type, asof, version, unauthorised, unavailable] = results;
    expect(none?.error).toBe("FDSNNoDataException");
    expect(latitude?.error).toBe("FDSNBadRequestException");
    expect(latitude?.message).toContain("minlatitude: ");
    expect(type?.error).toBe("FDSNBadRequestException");
    expect(asof?.error).toMatch(/^FDSN(?:NoData)?Exception$/);
    expect(version?.error).toMatch(/^FDSN(?:NoData)?Exception$/);
    expect(unauthorised?.error).toBe("FDSNUnauthorizedException");
    expect(unavailable?.error).toBe("FDSNNoServiceException");
  });
});

test.skipIf(!hasPython)("what clients take from a public id leads back to its event", async () => {
  const guest = createApiClient(base);
  const [result] = await ask([{ base, events: { eventid: "ev5" } }]);
  const publicId = result?.events?.[0]?.id ?? "";
  // seisplotjs: the parameter eventid, else the whole; pyweed: eventid, else the last word; scripts: the last part.
  const taken = [
    /eventid=(\w+)/.exec(publicId)?.[1] ?? publicId,
    /eventid=(\w+)/.exec(publicId)?.[1] ?? /(\w+)$/.exec(publicId)?.[1],
    publicId.split("/").at(-1),
  ];
  for (const id of taken) {
    const path = `${base}/fdsnws/event/1/query?format=text&eventid=${encodeURIComponent(id ?? "")}`;
    const { body } = await guest.get<string>(path);
    expect([id, body.split("\n")[1]?.split("|")[0]]).toEqual([id, "ev5"]);
  }
});
