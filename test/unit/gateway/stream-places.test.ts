import { describe, expect, test } from "vitest";
import { Overloaded } from "#services/gateway/capacity/retry-later.ts";
import { createStreamPlaces } from "#services/gateway/capacity/stream-places.ts";

function start(limit: number) {
  let nowMs = 0;
  const places = createStreamPlaces({ limit, now: () => nowMs });
  const given: string[] = [];
  return {
    given,
    size: places.size,
    pass: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
    take: (name: string, network: string, caller = `network ${network}`) =>
      places.take({ caller, network }, () => given.push(name)),
  };
}

describe("the places of streams", () => {
  test("one network alone takes all places, and is refused more while its streams are not idle", () => {
    const { take, given, size, pass } = start(3);
    for (const name of ["a", "b", "c"]) take(name, "1");
    pass(59);
    expect(() => take("d", "1")).toThrow(Overloaded);
    pass(1);
    take("d", "1");
    expect([given, size()]).toEqual([["a"], 3]);
  });

  test("the network with the most streams gives up the longest silent one for another network", () => {
    const { take, given, pass } = start(4);
    const [a, b] = ["a", "b", "c", "d"].map((name) => take(name, "1"));
    pass(1);
    a?.touch();
    take("e", "2");
    b?.leave();
    take("f", "2");
    expect(given).toEqual(["b", "c"]);
    // Each has its share.
    expect(() => take("g", "2")).toThrow(Overloaded);
    expect(() => take("g", "1")).toThrow(Overloaded);
  });

  test("an account with streams from many networks gives them up for others", () => {
    const { take, given } = start(4);
    for (const network of ["1", "2", "3"]) take(network, network, "user many");
    take("x", "4", "user one");
    take("y", "5", "user other");
    expect(given).toEqual(["1"]);
  });

  test("where everybody has one stream, only an idle one is given up", () => {
    const { take, given, pass } = start(2);
    take("a", "1");
    take("b", "2");
    expect(() => take("c", "3")).toThrow(Overloaded);
    pass(60);
    take("c", "3");
    expect(given).toEqual(["a"]);
  });

  test("a stream that has left is never given up", () => {
    const { take, given, size } = start(1);
    const place = take("a", "1");
    place.leave();
    place.touch();
    take("b", "2").leave();
    expect([given, size()]).toEqual([[], 0]);
  });
});
