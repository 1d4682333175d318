import { expect, test } from "vitest";
import { renderPng } from "#infra/plots/render-png.ts";
import { element } from "#infra/plots/svg.ts";

test("texts with characters that XML cannot express are drawn, with a mark in their place", () => {
  const text = element("text", { x: 0, y: 10, "aria-label": "a\u0000b" }, "Mw\f\u0016\ud800, M<L");
  const size = { xmlns: "http://www.w3.org/2000/svg", width: 100, height: 20 };
  const svg = element("svg", size, text).toString();
  expect(svg).toContain("Mw\ufffd\ufffd\ufffd, M&lt;L");
  expect(Buffer.from(renderPng(svg, 1)).subarray(1, 4).toString()).toBe("PNG");
});
