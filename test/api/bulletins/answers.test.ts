import { beforeAll, describe, expect, test } from "vitest";
import { countElements } from "#contracts/bulletin/element-counts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { readScml } from "../../support/formats/read-scml.ts";
import { hasSchema, schemaFaults } from "../../support/formats/sc3ml-schema.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
const guest = clientOf(service, "guest");
let base = "";

/** An event that is a row alone, a small bulletin and a tangled one. */
beforeAll(async () => {
  const row = seismicEvent({ magnitude_type: "Mw" });
  const { id } = await createCatalogue(editor, {
    events: [row, { bulletin: smallBulletin() }, { bulletin: tangledBulletin() }],
    is_public: true,
  });
  base = `/api/catalogues/${id}`;
});

const query = (text: string, at = base) => guest.get<string>(`${at}/fdsnws/event/1/query?${text}`);
const count = (xml: string, element: string) => xml.split(`<${element} publicID=`).length - 1;
const countsIn = (xml: string, ...elements: string[]) => elements.map((name) => count(xml, name));

async function exported(text: string): Promise<string> {
  const answer = await editor.stream(`${base}/export?${text}`);
  expect(answer.status, text).toBe(200);
  return answer.text();
}

describe("the event service, of events with bulletins", () => {
  /** Without when it was made. */
  const withoutTime = (xml: string) => xml.replace(/<creationTime>[^<]*<\/creationTime>/, "");

  test("makes an answer of rows where nothing more is asked for", async () => {
    const { body } = await query("");
    expect(body).not.toContain('origin publicID="smi:test.local');
    expect(countsIn(body, "event", "origin")).toEqual([3, 3]);
    for (const none of ["includearrivals=false", "includepicks=false&includeall=false"]) {
      const same = await query(none);
      expect(same.headers.get("etag")).not.toBeNull();
      expect(withoutTime(same.body)).toBe(withoutTime(body));
    }
  });

  test("has objects under their own ids and the event under the service's, and picks where they are wanted", async () => {
    const { body } = await query("includearrivals=true");
    expect(countsIn(body, "arrival", "pick")).toEqual([2, 2]);
    expect(body).toContain("smi:test.local/one/origin/1");
    expect(body).not.toContain("smi:test.local/one/event");
    expect(body.match(/<event publicID="smi:local\.catalogue\//g)).toHaveLength(3);
    const { body: without } = await query("includearrivals=true&includepicks=false");
    expect(countsIn(without, "arrival", "pick")).toEqual([0, 0]);
    expect(without).toContain("smi:test.local/one/origin/1");
  });

  test("answers the same of a version, of a time and to a share, and to no guest before", async () => {
    const shares = await editor.send<{ share: { url: string } }>("POST", `${base}/shares`, {});
    const share = new URL(shares.body.share.url).pathname;
    for (const at of [base, `${base}/versions/1`, `${base}/at/29990101T000000Z`, share]) {
      expect(count((await query("includeall=true", at)).body, "pick"), at).toBe(5);
    }
    const { id } = await createCatalogue(editor, { events: [{ bulletin: smallBulletin() }] });
    expect((await query("includeall=true", `/api/catalogues/${id}`)).status).toBe(401);
  });

  test("takes what is beside the rows for xml only", async () => {
    for (const format of ["text", "csv", "kml", "geojson", "json"]) {
      const all = await query(`format=${format}&includeall=true`);
      const scoped = await query(`format=${format}&magnitudescope=any&magnitudetype=ML`);
      expect([all.status, scoped.status], format).toEqual([200, 400]);
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

  test("streams more events with bulletins than it reads at once, each once", async () => {
    const { id } = await createCatalogue(editor, {
      events: Array.from({ length: 1_200 }, (_, i) => ({ bulletin: smallBulletin(`${i}`) })),
      is_public: true,
    });
    const { body } = await query("includearrivals=true", `/api/catalogues/${id}`);
    expect(countsIn(body, "event", "arrival")).toEqual([1_200, 1_200]);
    expect(body.trimEnd().endsWith("</q:quakeml>")).toBe(true);
  });

  test("answers SC3ML with every event whole under the service's id, one without a bulletin as its row says", async () => {
    const { headers, body } = await query("format=sc3ml");
    expect(headers.get("content-type")).toBe("application/xml");
    const { bulletins, errors } = readScml(body);
    expect(errors).toEqual([]);
    const counts = bulletins.map((bulletin) => countElements(bulletin));
    expect(counts).toContainEqual(countElements(smallBulletin()));
    expect(counts.map(({ origin }) => origin).toSorted()).toEqual([1, 2, 3]);
    for (const { publicID } of bulletins) expect(publicID).toMatch(/^smi:local\.catalogue\//);
    expect(body).toContain(", 5 arrival.publicID");
    expect((await query("format=sc3ml&minmagnitude=9")).status).toBe(204);
  });

  test.skipIf(!hasSchema)("answers SC3ML by its schema (skipped without it)", async () => {
    expect(schemaFaults((await query("format=sc3ml")).body)).toBe("");
  });

  test("answers ISF of the events that a query selects, and 204 for none", async () => {
    const { headers, body } = await query("format=isf&maxmagnitude=5");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(body.match(/^Event /gm)).toHaveLength(2);
    expect((await query("format=isf&minmagnitude=9")).status).toBe(204);
  });
});

describe("an export", () => {
  test("as QuakeML has every event whole, with what its references lead to or not, or as rows show it", async () => {
    for (const text of ["", "&detail=full", "&form=valid", "&detail=full&form=given"]) {
      const xml = await exported(`format=quakeml${text}`);
      const elements = ["event", "origin", "pick", "arrival", "amplitude"];
      expect(countsIn(xml, ...elements), text).toEqual([3, 6, 5, 5, 3]);
      expect(xml).toContain("smi:test.local/nowhere/1");
      expect(xml).toContain('<event publicID="smi:test.local/tangled/event/0"');
    }
    const summary = await exported("format=quakeml&detail=summary");
    expect(countsIn(summary, "event", "origin", "pick")).toEqual([3, 3, 0]);
  });

  test("as ISF has every event whole, one without a bulletin as its row says", async () => {
    const text = await exported("format=isf");
    expect(text).toMatch(/^BEGIN IMS2\.0\r?\nDATA_TYPE BULLETIN IMS1\.0:short/);
    expect(text.match(/^Event /gm)).toHaveLength(3);
    expect(text.match(/^2024\/05\/06 07:08:0/gm)).toHaveLength(5);
    expect(text.match(/^WEL {2}/gm)?.length ?? 0).toBeGreaterThanOrEqual(4);
    const answer = await editor.stream(`${base}/export`, { accept: "text/plain" });
    expect(await answer.text()).toMatch(/^#EventID/);
  });

  test("refuses a form, a detail and a table of formats that have none", async () => {
    for (const [text, field] of [
      ["format=csv&detail=summary", "detail"],
      ["format=json&form=given", "form"],
      ["format=quakeml&detail=summary&form=given", "form"],
      ["format=quakeml&form=any", "form"],
      ...["isf", "geojson", "kml", "quakeml", "text"].map((name) => [
        `format=${name}&table=picks`,
        "table",
      ]),
    ] as const) {
      const answer = await editor.get(`${base}/export?${text}`);
      expectRefusal(answer, "VALIDATION_ERROR", field);
    }
  });
});
