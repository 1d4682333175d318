import { expect, test } from "vitest";
import { createKeyReader, type Pressed, type Wish } from "#services/console/shell/shortcuts.ts";

const press = (key: string, held: Partial<Pressed> = {}): Pressed => ({
  key,
  timeStamp: 0,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  isAltGraph: false,
  ...held,
});

/** What keys ask for that are pressed one after the other. */
function wishesOf(...pressed: readonly Pressed[]): readonly (Wish | null)[] {
  const read = createKeyReader();
  return pressed.map(read);
}

test("? asks for the keys", () => {
  expect(wishesOf(press("?"))).toEqual(["help"]);
});

test("g and c within a second ask for the catalogues; c alone does not", () => {
  expect(wishesOf(press("g"), press("c", { timeStamp: 999 }))[1]).toBe("catalogues");
  expect(wishesOf(press("g"), press("c", { timeStamp: 1_000 }))[1]).toEqual({ key: "c" });
  expect(wishesOf(press("c"))).toEqual([{ key: "c" }]);
});

test("another key between g and c parts them, a second g begins anew", () => {
  expect(wishesOf(press("g"), press("x"), press("c"))[2]).toEqual({ key: "c" });
  const later = { timeStamp: 1_500 };
  expect(wishesOf(press("g"), press("g", { timeStamp: 900 }), press("c", later))[2]).toBe(
    "catalogues",
  );
});

test("other keys are looked for on the page", () => {
  expect(wishesOf(press("/"), press("["))).toEqual([{ key: "/" }, { key: "[" }]);
});

test("commands of the browser are left to it", () => {
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
    expect(wishesOf(press("c", held), press("?", held), press("/", held))).toEqual([
      null,
      null,
      null,
    ]);
  }
  expect(wishesOf(press("[", { metaKey: true }), press("[", { ctrlKey: true }))).toEqual([
    null,
    null,
  ]);
});

test("[ and ] work where they are the third sign of a key", () => {
  const onWindows = { ctrlKey: true, altKey: true, isAltGraph: true };
  const onLinux = { isAltGraph: true };
  const onMac = { altKey: true };
  for (const held of [onWindows, onLinux, onMac]) {
    expect(wishesOf(press("[", held), press("]", held))).toEqual([{ key: "[" }, { key: "]" }]);
  }
});
