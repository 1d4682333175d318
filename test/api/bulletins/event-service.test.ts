import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";

const service = sharedService();
let editor: ApiClient;
let guest: ApiClient;
let base = "";

beforeAll(async () => {
  editor = await service.loginAs("editor");
  guest = createApiClient(service.url);
  const { id } = await createCatalogue(editor, {
    events: [seismicEvent(), { bulletin: smallBulletin() }, { bulletin: tangledBulletin() }],
    is_public: true,
  });
  base = `/api/catalogues/${id}`;
});

const query = (text: string, at = base) => guest.get<string>(`${at}/fdsnws/event/1/query?${text}`);

const count = (xml: string, element: string) => xml.split(`<${element} publicID=`).length - 1;

describe("the event service, of events with bulletins", () => {
  test("makes an answer of rows where nothing more is asked for", async () => {
    const { body } = await query("");
    expect(body).not.toContain('origin publicID="smi:test.local');
    expect([count(body, "event"), count(body, "origin")]).toEqual([3, 3]);
    const { headers } = await query("includearrivals=false");
    expect(headers.get("etag")).not.toBeNull();
    for (const none of ["includearrivals=false", "includepicks=false&includeall=false"]) {
      const same = await query(none);
      expect(withoutTime(same.body)).toBe(withoutTime(body));
    }
  });

  test("has objects under their own ids and the event under the service's", async () => {
    const { body } = await query("includearrivals=true");
    expect(count(body, "arrival")).toBe(2);
    expect(count(body, "pick")).toBe(2);
    expect(body).toContain("smi:test.local/one/origin/1");
    expect(body).not.toContain("smi:test.local/one/event");
    expect(body.match(/<event publicID="smi:local\.catalogue\//g)).toHaveLength(3);
  });

  test("has neither arrivals nor picks where picks are not wanted", async () => {
    const { body } = await query("includearrivals=true&includepicks=false");
    expect([count(body, "arrival"), count(body, "pick")]).toEqual([0, 0]);
    expect(body).toContain("smi:test.local/one/origin/1");
  });

  test("answers the same of a version, of a time and to a share, and to no guest before", async () => {
    const { body } = await query("includeall=true");
    const picks = count(body, "pick");
    expect(picks).toBe(5);
    const { body: shared } = await editor.send<{ share: { url: string } }>(
      "POST",
      `${base}/shares`,
      {},
    );
    const share = new URL(shared.share.url).pathname;
    for (const at of [`${base}/versions/1`, `${base}/at/29990101T000000Z`, share]) {
      expect(count((await query("includeall=true", at)).body, "pick")).toBe(picks);
    }
    const { id } = await createCatalogue(editor, { events: [{ bulletin: smallBulletin() }] });
    expect((await query("includeall=true", `/api/catalogues/${id}`)).status).toBe(401);
  });

  test("takes what is beside the rows for xml only", async () => {
    for (const format of ["text", "csv", "kml", "geojson", "json"]) {
      const { status } = await query(`format=${format}&includeall=true`);
      expect([format, status]).toEqual([format, 200]);
      const scoped = await query(`format=${format}&magnitudescope=any&magnitudetype=ML`);
      expect([format, scoped.status]).toEqual([format, 400]);
    }
  });

  test("finds and counts events by a magnitude that is not preferred, and shows that", async () => {
    const wanted = "magnitudetype=ML&minmagnitude=4.65&magnitudescope=any";
    const { body } = await query(wanted);
    expect(count(body, "event")).toBe(2);
    expect(body.match(/<value>4.7<\/value>/g)).toHaveLength(2);
    const { body: number } = await guest.get<string>(`${base}/fdsnws/event/1/count?${wanted}`);
    expect(number.trim()).toBe("2");
    expect((await query("magnitudetype=ML&minmagnitude=4.65")).status).toBe(204);
    expect((await query(wanted.replace("4.65", "4.75"))).status).toBe(204);
  });

  test("streams many events with bulletins, each once", async () => {
    const { id } = await createCatalogue(editor, {
      events: Array.from({ length: 1_200 }, (_, i) => ({ bulletin: smallBulletin(`${i}`) })),
      is_public: true,
    });
    const { body } = await query("includearrivals=true", `/api/catalogues/${id}`);
    expect([count(body, "event"), count(body, "arrival")]).toEqual([1_200, 1_200]);
    expect(body.trimEnd().endsWith("</q:quakeml>")).toBe(true);
  });
});

/** Without when it was made. */
const withoutTime = (xml: string) => xml.replace(/<creationTime>[^<]*<\/creationTime>/, "");
