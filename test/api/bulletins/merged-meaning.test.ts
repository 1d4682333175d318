import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { sharedService } from "../../support/service.ts";
import { merge, sourceOf } from "../merge/merge-scene.ts";
import { seismicEvent } from "../support/catalogue.ts";
import { exportWhole } from "../support/whole-documents.ts";

const service = sharedService();
const OWN = "{urn:earthquake-catalogue:1.0}";
let editor: ApiClient;
beforeAll(async () => {
  editor = await service.loginAs("editor");
});

async function mergedFrom(strategy: "priority" | "average", ...events: readonly object[]) {
  const sources = await Promise.all(
    events.map((event, i) => sourceOf(editor, `source ${i}`, [event])),
  );
  const { catalogueId } = await merge(editor, sources, {
    mergeStrategy: strategy,
    priority: "source 0",
    timeThreshold: 120,
  });
  const path = `/api/catalogues/${catalogueId}`;
  const { body } = await editor.get<{ events: { bulletin: Bulletin }[] }>(
    `${path}/events/filtered?include=bulletin`,
  );
  expect(body.events).toHaveLength(1);
  return { path, id: catalogueId, sources, bulletin: body.events[0]?.bulletin as Bulletin };
}

/** What the references of a bulletin say: of each holder what the object tells that they lead to. */
function meanings(bulletin: Bulletin): Set<string> {
  const {
    origin = [],
    magnitude = [],
    pick = [],
    amplitude = [],
    stationMagnitude = [],
  } = bulletin;
  const found = <T extends { readonly publicID: string }>(
    list: readonly T[],
    id: string | undefined,
    tell: (object: T) => unknown,
  ) => {
    const object = list.find(({ publicID }) => publicID === id);
    return object === undefined ? id : tell(object);
  };
  const when = (id: string | undefined) => found(origin, id, ({ time }) => time.value);
  const picked = (id: string | undefined) => found(pick, id, ({ time }) => time.value);
  const tells = [
    ...origin.flatMap(({ time, arrival = [] }) =>
      arrival.map(({ phase, pickID }) => ["arrival", time.value, phase, picked(pickID)]),
    ),
    ...magnitude.flatMap(({ mag, originID, stationMagnitudeContribution: parts = [] }) => [
      ["magnitude", mag.value, when(originID)],
      ...parts.map(({ stationMagnitudeID: id }) => [
        "contribution",
        mag.value,
        found(stationMagnitude, id, (one) => one.mag.value),
      ]),
    ]),
    ...stationMagnitude.map(({ mag, originID, amplitudeID }) => [
      "station magnitude",
      mag.value,
      when(originID),
      found(amplitude, amplitudeID, ({ genericAmplitude }) => genericAmplitude.value),
    ]),
    ...amplitude.map(({ genericAmplitude, pickID }) => [
      "amplitude",
      genericAmplitude.value,
      picked(pickID),
    ]),
    ...(bulletin.focalMechanism ?? []).flatMap(({ triggeringOriginID, momentTensor = [] }) =>
      momentTensor.map(({ derivedOriginID }) => [
        "tensor",
        when(triggeringOriginID),
        when(derivedOriginID),
      ]),
    ),
  ];
  return new Set(tells.map((one) => JSON.stringify(one)));
}

describe("a merged bulletin", () => {
  test("says with every reference what its sources said, though these share ids with other contents", async () => {
    const first = tangledBulletin();
    const moved: Bulletin = {
      ...first,
      pick: (first.pick ?? []).map((pick) => ({
        ...pick,
        time: { value: pick.time.value.replace(".25Z", ".75Z") },
      })),
    };
    const shifted: Bulletin = {
      ...first,
      origin: (first.origin ?? []).map((origin) => ({
        ...origin,
        time: { value: origin.time.value.replace("07:08:", "07:09:") },
      })),
      amplitude: (first.amplitude ?? []).map((one) => ({ ...one, genericAmplitude: { value: 7 } })),
    };
    const members = [first, moved, shifted];
    for (const strategy of ["priority", "average"] as const) {
      const events = members.map((bulletin) => ({ bulletin }));
      const said = meanings((await mergedFrom(strategy, ...events)).bulletin);
      for (const member of members) {
        for (const meaning of meanings(member)) expect(said).toContain(meaning);
      }
      const all = new Set(members.flatMap((member) => [...meanings(member)]));
      expect([...said].filter((one) => !all.has(one))).toEqual([]);
    }
  });

  test.each([
    ["what agencies have", tangledBulletin()],
    ["every member", everyMember()],
  ])("of a catalogue with its copy has the same leaves once: %s", async (_, bulletin) => {
    const { id, sources } = await mergedFrom("priority", { bulletin }, { bulletin });
    const leaves = async (catalogue = "") => {
      const all = leavesOf(await exportWhole(editor, catalogue, "given"));
      return all.filter((leaf) => !leaf.includes(OWN));
    };
    expect(await leaves(id)).toEqual(await leaves(sources[0]?.id));
  });

  test("that is made public shows all of its parts to guests, also those of sources that are not", async () => {
    const { path, bulletin, sources } = await mergedFrom(
      "average",
      { bulletin: tangledBulletin() },
      seismicEvent({ time: "2024-05-06T07:08:02Z", latitude: -41.5, longitude: 174.5 }),
    );
    const guest = createApiClient(service.url);
    const address = `${path}/fdsnws/event/1/query?includeall=true`;
    expect([401, 404]).toContain((await guest.get(address)).status);
    await editor.send("PATCH", path, { is_public: true });
    const { status, body } = await guest.get<string>(address);
    expect(status).toBe(200);
    for (const { publicID } of bulletin.origin ?? []) expect(body).toContain(publicID);
    for (const { id } of sources) {
      expect(body).not.toContain(id);
      expect(body).not.toContain(id.replaceAll("-", ""));
    }
  });
});
