import { expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { EVENTS, joinFile, MOMENT_TENSORS } from "../support/api/join-file.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { sharedService } from "../support/service.ts";

const service = sharedService();

test.skipIf(!hasPython)(
  "ObsPy reads the mechanism that a table of moment tensors has added to an event",
  async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: EVENTS });
    await joinFile(editor, id, MOMENT_TENSORS);
    const file = await (await editor.stream(`/api/catalogues/${id}/export?format=quakeml`)).text();
    const events = await runPython<Record<string, unknown>[]>("joined_mechanisms.py", {
      input: file,
    });
    expect(events).toEqual([
      {
        id: "2016p858000",
        magnitudes: [
          ["MLv", 7.1],
          ["Mw", 7.8],
          ["ML", 7.1],
        ],
        preferred: 7.1,
        planes: [
          [226, 33, 141],
          [350, 71, 64],
        ],
        tensor: null,
      },
      {
        id: "2103645",
        magnitudes: [
          ["ML", 6.9],
          ["Mw", 7],
        ],
        preferred: 6.9,
        planes: [
          [0, 90, 180],
          [90, 90, 0],
        ],
        tensor: {
          scalar_moment: 4e19,
          components: [0, 0, 0, 0, 0, -4e19],
          depth: 22_000,
          magnitude: 7,
          double_couple: 0.87,
        },
      },
    ]);
  },
);
