import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonItem, JsonList, writeBody } from "#services/gateway/http/answer-body.ts";

const member = fc.oneof(fc.jsonValue(), fc.constant(undefined));
const lists = fc
  .array(fc.jsonValue())
  .map((items) => new JsonList(items.map((item) => Buffer.from(JSON.stringify(item)))));
const items = fc.jsonValue().map((item) => new JsonItem(Buffer.from(JSON.stringify(item))));
const bodies = fc.dictionary(fc.string(), fc.oneof(member, lists, items), {
  noNullPrototype: true,
});

const textOf = (body: unknown): string => Buffer.concat(writeBody(body)).toString();

test("a body is written as JSON.stringify writes it, whatever of it is JSON already", () => {
  fc.assert(
    fc.property(bodies, (body) => {
      const text = textOf(body);
      expect(text).toBe(JSON.stringify(body));
      expect(text).toBe(textOf(JSON.parse(text)));
    }),
  );
});
