import { beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { createApiClient } from "../support/api-client.ts";
import { tangledBulletin } from "../support/bulletins/tangled-bulletin.ts";
import { hasPython, hasXmllint, quakemlSchema, runPython } from "../support/clients/python.ts";
import { parseXml, seisplotjs } from "../support/clients/seisplotjs.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { runTool } from "../support/run-tool.ts";

const service = await useReachableService();
let base = "";

beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [{ bulletin: tangledBulletin() }],
    is_public: true,
  });
  base = `/api/catalogues/${id}`;
});

const FLAGS = [
  "includeallorigins",
  "includeallmagnitudes",
  "includearrivals",
  "includepicks",
  "includeamplitudes",
  "includestationmagnitudes",
  "includecomments",
] as const;

/** Every set of the flags but the empty one, for which the answer is made of the row. */
const SETS = Array.from({ length: 2 ** FLAGS.length }, (_, bits) =>
  FLAGS.filter((_, i) => (bits >> i) & 1),
).slice(1);

type Counts = Readonly<
  Record<
    "origins" | "magnitudes" | "picks" | "arrivals" | "amplitudes" | "stationMagnitudes",
    number
  >
> & { readonly comments: number };

/** The objects of an answer that asks for all of these; the tangled bulletin's, as its text says. */
function expectedOf(flags: readonly string[]): Counts {
  const has = (flag: (typeof FLAGS)[number]) => flags.includes(flag);
  const second = has("includeallorigins") || has("includeallmagnitudes");
  const arrivals = has("includearrivals") ? (second ? 2 : 1) : 0;
  const used = has("includeamplitudes") || has("includestationmagnitudes");
  const brought = Math.max(arrivals, used ? 1 : 0);
  return {
    // The centroid is the tensor's.
    origins: second ? 3 : 2,
    magnitudes: has("includeallmagnitudes") ? 2 : 1,
    picks: has("includepicks") ? 3 : brought,
    arrivals,
    amplitudes: has("includeamplitudes") ? 2 : has("includestationmagnitudes") ? 1 : 0,
    stationMagnitudes: has("includestationmagnitudes") ? 1 : 0,
    comments: has("includecomments") ? 2 : 0,
  };
}

const queryOf = (flags: readonly string[]) => flags.map((flag) => `${flag}=true`).join("&");

describe("closed answers", () => {
  test("seisplotjs reads an answer with any flags, and finds what they ask for", async () => {
    const guest = createApiClient(service.url);
    for (const flags of SETS) {
      const path = `${base}/fdsnws/event/1/query?${queryOf(flags)}`;
      const { body } = await guest.get<string>(path);
      const xml = parseXml(body);
      const [quake] = seisplotjs.quakeml.parseQuakeML(xml).eventList;
      const origins = quake?.originList ?? [];
      expect([flags, origins.length, quake?.magnitudeList.length, quake?.pickList.length]).toEqual([
        flags,
        ...Object.values(expectedOf(flags)).slice(0, 3),
      ]);
      const arrivals = origins.flatMap(({ arrivalList }) => arrivalList);
      expect(arrivals).toHaveLength(expectedOf(flags).arrivals);
      expect(quake?.preferredOrigin?.publicId).toBe("smi:test.local/tangled/origin/1");
    }
  });

  test("seisplotjs reads an answer with everything, which tells what was left out", async () => {
    const guest = createApiClient(service.url);
    const { body } = await guest.get<string>(`${base}/fdsnws/event/1/query?includeall=true`);
    const xml = parseXml(body);
    expect(seisplotjs.quakeml.parseQuakeML(xml).eventList).toHaveLength(1);
    expect(body.trimEnd()).toMatch(
      /<!-- Left out, as it leads nowhere: .*1 pickID.*1 Arrival.* -->$/,
    );
  });
});

test.skipIf(!hasPython || !hasXmllint)(
  "closed answers with any flags are valid by the schema of QuakeML",
  async () => {
    const guest = createApiClient(service.url);
    const schema = ["--noout", "--nonet", "--schema", quakemlSchema()];
    for (const flags of [...SETS, ["includeall"]]) {
      const path = `${base}/fdsnws/event/1/query?${queryOf(flags)}`;
      const { body } = await guest.get<string>(path);
      await runTool("xmllint", schema, "answer.xml", new TextEncoder().encode(body));
    }
  },
);

test.skipIf(!hasPython || !hasXmllint)(
  "an answer of 20,000 events is valid by the schema of QuakeML",
  async () => {
    const editor = await service.loginAs("editor");
    const events = [...generateEvents(7, 20_000)];
    const { id } = await createCatalogue(editor, { events, is_public: true });
    const answer = await fetch(`${service.url}/api/catalogues/${id}/fdsnws/event/1/query`);
    const document = await answer.text();
    expect([answer.status, document.match(/<event /g)?.length]).toEqual([200, events.length]);
    const schema = ["--noout", "--nonet", "--schema", quakemlSchema()];
    await runTool("xmllint", schema, "answer.xml", new TextEncoder().encode(document));
  },
);

type Answer = { readonly flags: readonly string[]; readonly dangling: string[] } & Counts;

describe.skipIf(!hasPython)("ObsPy's client", () => {
  let answers: Answer[] = [];
  beforeAll(async () => {
    if (!hasPython) return;
    answers = await runPython<Answer[]>("closed_answers.py", {
      input: { base: service.url + base, sets: [...SETS, ["includeall"]] },
    });
  });

  test("asks for any flags, and links every id of the answer", () => {
    expect(answers).toHaveLength(SETS.length + 1);
    for (const { flags, dangling, ...counts } of answers.slice(0, -1)) {
      expect({ flags, dangling, ...counts }).toEqual({ flags, dangling: [], ...expectedOf(flags) });
    }
  });

  test("gets everything with includeall", () => {
    const { flags: _, ...all } = answers.at(-1) ?? { flags: [] };
    expect(all).toEqual({ ...expectedOf(FLAGS), dangling: [] });
  });
});
