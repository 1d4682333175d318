import { describe, expect } from "vitest";
import { attachment } from "#services/gateway/files/export-headers.ts";
import { testRows } from "../support/test-rows.ts";

/** The file name as a client understands it: the extended parameter wins (RFC 6266). */
function nameIn(header: string): string {
  const extended = /filename\*=UTF-8''([^;]+)/.exec(header)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  return /filename="?([^";]+)"?/.exec(header)?.[1] ?? "";
}

describe("the file of an export", () => {
  testRows(
    "the file of an export is named for its catalogue",
    [
      ["Cook Strait", "Cook Strait v3.csv"],
      ["Kaikōura 2016 🌏", "Kaikōura 2016 🌏 v3.csv"],
      ["../../etc/passwd", "etc passwd v3.csv"],
      ["..\\..\\windows\\system32", "windows system32 v3.csv"],
      [".hidden", "hidden v3.csv"],
      ['a"b\r\nX-Evil: 1\0', "a b X-Evil 1 v3.csv"],
      ["...", "catalogue v3.csv"],
      ["????", "catalogue v3.csv"],
      ["\u202Egpj.exe", "gpj.exe v3.csv"],
      [`${"ō".repeat(255)}`, `${"ō".repeat(100)} v3.csv`],
    ],
    (name, file) => {
      const header = attachment(name, 3, "csv");
      expect(nameIn(header)).toBe(file);
      expect(header).toMatch(/^attachment; [\x20-\x7e\xa0-\xff]*$/);
    },
  );
});
