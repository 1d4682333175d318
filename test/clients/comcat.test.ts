import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { startTlsProxy } from "../support/clients/tls-proxy.ts";
import { useServiceBehind } from "../support/reachable-service.ts";
import { awkwardEvents } from "./support/events.ts";

const proxy = await startTlsProxy();
const service = useServiceBehind(proxy.url);
const EVENTS = awkwardEvents(24);

type Fields = {
  readonly id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number | null;
  readonly magnitude: number | null;
  readonly eventtype: string | null;
};
type Answers = {
  readonly summaries: Fields[];
  readonly everything: Fields[];
  readonly details: Fields[];
  readonly byId: Fields;
  readonly withSuperseded: Fields;
  readonly forecast: [string, number | null, number][];
  readonly searched: string[];
};
let answers: Answers;

beforeAll(async () => {
  if (!hasPython) return;
  proxy.forwardTo(service.url);
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, { events: EVENTS, is_public: true });
  const trusted = { REQUESTS_CA_BUNDLE: proxy.certificate, SSL_CERT_FILE: proxy.certificate };
  answers = await runPython<Answers>("comcat_clients.py", {
    input: {
      host: `${new URL(proxy.url).host}/api/catalogues/${id}`,
      start: "2015-01-01T00:00:00",
      end: "2018-12-31T00:00:00",
      id: "ev4",
    },
    env: trusted,
  });
});
afterAll(() => proxy.close());

const idsOf = (events: readonly { readonly source_id: string }[]) =>
  events.map(({ source_id }) => source_id);
/** libcomcat and pyCSEP ask for earthquakes, which are also the events without a type. */
const earthquakes = EVENTS.filter(
  ({ event_type }) => event_type === "earthquake" || event_type === null,
);

describe.skipIf(!hasPython)("ComCat's clients over HTTPS, the host with a path", () => {
  test("libcomcat's search finds the earthquakes of each slice of time once", () => {
    const large = earthquakes.filter(({ magnitude }) => (magnitude ?? 0) >= 4);
    expect(answers.summaries.map(({ id }) => id)).toEqual(idsOf(large));
  });

  test("libcomcat reads every event, whatever is unknown of it", () => {
    expect(answers.everything.map(({ id }) => id)).toEqual(idsOf(EVENTS));
    for (const [i, fields] of answers.everything.entries()) {
      const { latitude, longitude, depth, magnitude, event_type } = EVENTS[i] ?? {};
      expect(fields).toMatchObject({ latitude, longitude, magnitude, eventtype: event_type });
      expect(fields.depth).toBe(depth);
    }
  });

  test("libcomcat's getDetailEvent reads each event from where its summary leads", () => {
    const { length } = EVENTS;
    expect(answers.details).toHaveLength(length);
    for (const [i, detail] of answers.details.entries()) {
      const { id, time, latitude, longitude, magnitude } = answers.everything[i] as Fields;
      expect(detail).toMatchObject({ id, time, latitude, longitude, magnitude });
    }
    expect(proxy.requests.filter((path) => path.includes("/feed/v1.0/detail/"))).toHaveLength(
      length + 1,
    );
  });

  test("libcomcat's get_event_by_id reads an event by the agency's id", () => {
    expect(answers.byId).toMatchObject({ id: "ev4", magnitude: EVENTS[4]?.magnitude });
  });

  test("libcomcat's get_event_by_id with superseded products, of which there are none, reads the same", () => {
    expect(answers.withSuperseded).toEqual(answers.byId);
  });

  test("pyCSEP's search finds events without a depth and without a type", () => {
    const known = earthquakes.filter(({ magnitude }) => (magnitude ?? -1) >= 0);
    expect(answers.searched).toEqual(idsOf(known));
    expect(known.filter(({ depth }) => depth === null)).not.toEqual([]);
    expect(known.filter(({ event_type }) => event_type === null)).not.toEqual([]);
  });

  test("pyCSEP's reader of ComCat gets the same through a host of its own", () => {
    expect(answers.forecast.map(([id]) => id)).toEqual(answers.searched);
    for (const [id, , magnitude] of answers.forecast) {
      expect(magnitude).toBe(EVENTS.find(({ source_id }) => source_id === id)?.magnitude);
    }
  });
});
