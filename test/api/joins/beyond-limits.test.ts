import { expect, test } from "vitest";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { wholeEvents } from "../../support/api/events-of-file.ts";
import { EVENTS, joinFile } from "../../support/api/join-file.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();

test("an event whose bulletin would be beyond the limits stays as it is, which the answer tells; others are joined", async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, { events: EVENTS });
  /** A row with one more origin of an event, and a remark of so many letters. */
  const row = (event: (typeof EVENTS)[number] | undefined, name: string, letters: number) => ({
    source_id: event?.source_id,
    time: event?.time,
    bulletin: {
      publicID: `smi:nz.org.geonet/${event?.source_id}`,
      origin: [
        {
          publicID: `smi:org.example/origin/${name}`,
          time: { value: event?.time },
          latitude: { value: event?.latitude },
          longitude: { value: event?.longitude },
          comment: [{ text: "x".repeat(letters) }],
        },
      ],
    },
  });
  const [large, small] = EVENTS;
  const many = Array.from({ length: 18 }, (_, i) => row(large, `large-${i}`, 3_900_000));
  const content = JSON.stringify({ events: [row(small, "small", 10), ...many] });
  const { body } = await joinFile(editor, id, content, { fileName: "bulletins.json" });
  expect(body).toMatchObject({ version: 2, updatedEvents: 1, skippedEvents: 0, unmatchedCount: 0 });
  const { validationReport: report } = body;
  expect(report).toMatchObject({ totalSubmitted: 19, failedValidation: 18 });
  expect(report.invalidEvents[0]).toMatchObject({ index: 1, id: large?.source_id });
  expect(report.invalidEvents[0]?.reason).toMatch(/bulletin.* more than 64 MiB/);
  expect((await wholeEvents(editor, id))[0]).toMatchObject(large ?? {});
});
