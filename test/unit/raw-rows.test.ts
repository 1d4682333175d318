import fc from "fast-check";
import { expect, test } from "vitest";
import { createRowSplitter } from "#infra/postgres/raw-rows.ts";

type Message = { readonly code: string; readonly body: Uint8Array };

const messages: fc.Arbitrary<Message[]> = fc.array(
  fc.record({ code: fc.constantFrom("D", "D", "C", "Z", "T"), body: fc.uint8Array() }),
  { maxLength: 12 },
);

/** As the protocol has it (manual, "Message Formats"). */
function bytesOf({ code, body }: Message): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(code), length, body]);
}

/** Each row by itself; what else there was between two of them as one. */
function parted(all: readonly Message[]): string[] {
  const parts: string[] = [];
  let others = "";
  for (const message of all) {
    if (message.code !== "D") {
      others += bytesOf(message).toString("hex");
      continue;
    }
    parts.push(others, `row ${Buffer.from(message.body).toString("hex")}`);
    others = "";
  }
  return [...parts, others];
}

test("rows and other messages come in their order, however the bytes arrive", () => {
  const property = fc.property(messages, fc.array(fc.nat(3_000)), (all, cuts) => {
    const bytes = Buffer.concat(all.map(bytesOf));
    const parts = [""];
    const split = createRowSplitter(
      (row) => parts.push(`row ${row.toString("hex")}`, ""),
      (others) => parts.push(`${parts.pop()}${others.toString("hex")}`),
    );
    const places = [0, ...cuts.filter((cut) => cut < bytes.length), bytes.length];
    places.sort((a, b) => a - b);
    for (const [i, from] of places.entries()) split(bytes.subarray(from, places[i + 1]));
    expect(parts).toEqual(parted(all));
  });
  fc.assert(property, { numRuns: 500 });
});
