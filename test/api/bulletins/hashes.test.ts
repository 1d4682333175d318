import { expect, test } from "vitest";
import type { VersionRecord } from "#contracts/http/versions.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { hashInPython } from "../support/hash-in-python.ts";

const service = sharedService();

const FOREIGN = [{ ns: "urn:test", name: "é\u{1f30f}", text: " 1.0E3\n" }];

test("a script of another language computes the hash of a version with bulletins, and of each of them", async () => {
  const editor = await service.loginAs("editor");
  const events = [everyMember(), tangledBulletin(), everyMember(() => FOREIGN)].map(
    (bulletin, i) => ({ bulletin: { ...bulletin, publicID: `smi:test.local/hashed/${i}` } }),
  );
  const { id } = await createCatalogue(editor, { events: [seismicEvent(), ...events] });
  const path = `/api/catalogues/${id}`;
  const { body } = await editor.get<{ version: VersionRecord }>(`${path}/versions/1`);
  for (const include of ["", "&include=bulletin"]) {
    const exported = await (await editor.stream(`${path}/export?format=json${include}`)).text();
    expect(exported.match(/"bulletin":/g)?.length ?? 0).toBe(include === "" ? 0 : 3);
    expect(await hashInPython(exported)).toBe(body.version.sha256);
  }
});
