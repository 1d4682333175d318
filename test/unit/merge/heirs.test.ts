import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createHeirs,
  type FormerEvent,
  heirOf,
  NO_EVENT,
  NO_GROUP,
} from "#services/domain/merges/refresh.ts";

const GROUPS = 6;
const group = fc.integer({ min: 0, max: GROUPS - 1 });
/** A founder that is still there is a member, or has left its event earlier. */
const former: fc.Arbitrary<FormerEvent> = fc
  .record({
    founder: fc.oneof(fc.constant(NO_GROUP), group),
    members: fc.array(group, { maxLength: 6 }),
    gone: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ founder, members, gone }) => ({ founder, members, size: members.length + gone }));

test("the heir of a merged event is its founder's group, whoever else is there", () => {
  fc.assert(
    fc.property(former, group, (event, founder) => {
      expect(heirOf({ ...event, founder })?.group).toBe(founder);
    }),
  );
});

test("the heir of a merged event without its founder has more than half of the members that it had, half is too few", () => {
  const event = { founder: NO_GROUP, size: 4 };
  expect(heirOf({ ...event, members: [1, 1, 2] })).toBeNull();
  expect(heirOf({ ...event, members: [2, 1, 1, 1] })).toEqual({ group: 1, shared: 3 });
  expect(heirOf({ ...event, members: [] })).toBeNull();
});

test("each group goes on with one event at most, and each event in one group: the one with most members in it, then the oldest", () => {
  fc.assert(
    fc.property(fc.array(former, { maxLength: 12 }), (events) => {
      const heirs = createHeirs(GROUPS);
      for (const [event, one] of events.entries()) heirs.offer(event, one);
      for (let g = 0; g < GROUPS; g += 1) {
        const claims = events.flatMap((event, place) => {
          const heir = heirOf(event);
          return heir?.group === g ? [{ place, shared: heir.shared }] : [];
        });
        claims.sort((a, b) => b.shared - a.shared || a.place - b.place);
        expect(heirs.eventOf(g)).toBe(claims[0]?.place ?? NO_EVENT);
      }
    }),
  );
});
