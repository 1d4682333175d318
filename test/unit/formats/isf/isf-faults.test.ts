import { describe, expect, test } from "vitest";
import { readFile } from "../read-file.ts";
import { fixtureText, onlyBulletin, own } from "./isf-fixture.ts";

const EXTENDED = fixtureText("extended");
const FIRST = fixtureText("first");

/** The file with one text replaced, which is there once. */
function changed(file: string, from: string, to: string): string {
  expect(file.split(from)).toHaveLength(2);
  return file.replace(from, to);
}

describe("the head of an ISF file", () => {
  test("may have any case, mail headers before it, and a web page around it", () => {
    const mail = `From: somebody\nSubject: bulletin\n\n${FIRST.replace(/^DATA_TYPE.*/, (line) => line.toLowerCase())}`;
    expect(readFile(mail).bulletins).toHaveLength(2);
    const escaped = EXTENDED.replaceAll("<", "&lt;");
    const page = `<!DOCTYPE html>\n<html><body>\n<pre>${escaped}</pre></body></html>\n`;
    const { bulletins } = readFile(page, { extension: "html" });
    expect(bulletins).toEqual(readFile(EXTENDED).bulletins);
  });

  test("may announce other columns, which is an error", () => {
    for (const format of ["IMS1.0:long", "GSE2.0"]) {
      const { rows, errors } = readFile(FIRST.replace("IMS1.0:short", format));
      expect(rows).toEqual([]);
      expect(errors).toEqual([`1: bulletins in ${format} have columns that are not read`]);
    }
  });

  test("is of an empty catalogue where no event follows", () => {
    const read = readFile(
      "DATA_TYPE BULLETIN IMS1.0:short\nBulletin\n\nNo events were found.\nSTOP\n",
    );
    expect(read).toMatchObject({ rows: [], errors: [], isCatalogue: true, format: "isf" });
  });

  test("may come again after STOP, and events may do so without it", () => {
    const later = FIRST.slice(FIRST.indexOf("EVENT 4022"));
    expect(readFile(`${FIRST}\nsignature\n\n${later}${FIRST}`).rows).toHaveLength(5);
  });
});

describe("an ISF file without the head of a message", () => {
  const events = FIRST.slice(FIRST.indexOf("EVENT 4021"));
  const whole = readFile(FIRST).bulletins;

  test("has the events that it has with its head, whatever stands before them", () => {
    const page = `<!DOCTYPE html>\n<html><body>\n<pre>${events.replaceAll("<", "&lt;")}</pre>\n`;
    for (const text of [events, `Event list of ours\n\nkept by hand\n${events}`, page]) {
      const { bulletins, errors } = readFile(text, { extension: "txt" });
      expect({ bulletins, errors }).toEqual({ bulletins: whole, errors: [] });
    }
  });

  test("may end without STOP after a whole line, which is told", () => {
    const open = events.slice(0, events.indexOf("STOP"));
    const read = readFile(open);
    expect(read).toMatchObject({ format: "isf", bulletins: whole, errors: [] });
    expect(read.warnings).toEqual([
      expect.stringContaining("the file ends without STOP and may be cut off there"),
    ]);
    const cut = readFile(open.trimEnd());
    expect(cut.bulletins).toEqual(whole.slice(0, 1));
    expect(cut.errors).toEqual([expect.stringContaining("may be cut off there")]);
  });

  test("that begins with origins of no event is an error, not a table", () => {
    const [header = "", origin = ""] = events
      .split("\n")
      .filter((line) => /^ *Date|^\d/.test(line));
    for (const head of ["", "DATA_TYPE ORIGIN IMS1.0:short\n"]) {
      const { rows, errors } = readFile(`${head}${header}\n${origin}\nSTOP\n`);
      expect(rows).toEqual([]);
      expect(errors).toEqual([`${head === "" ? 1 : 2}: the origins are of no event`]);
    }
  });
});

test("an ISF file that announces events, not a bulletin, has the same ones", () => {
  const text = FIRST.replace("DATA_TYPE BULLETIN", "DATA_TYPE EVENT");
  expect(readFile(text).bulletins).toEqual(readFile(FIRST).bulletins);
});

describe("a faulty ISF file", () => {
  test("has an error at the line, and nothing of its event", () => {
    const { rows, errors, elements } = readFile(changed(FIRST, "  0.50 m__", "  0.5x m__"));
    expect(rows).toMatchObject([{ source_id: "4022" }]);
    expect(errors).toEqual([
      '13: columns 94 to 98 hold "0.5x", no number, of the event that line 3 begins',
    ]);
    expect(elements?.event).toEqual({ read: 2, kept: 1, dropped: 1 });
  });

  test.each([
    ["2000/01/01 00:00:60.00", "2000/13/01 00:00:60.00", "6: "],
    ["2000/01/01 00:00:60.00", "2000/01/01 00-00:60.00", "6: "],
    ["DAVOX   1.00  90.0 S ", "        1.00  90.0 S ", "14: "],
    ["23:59:58.000", "23:5a:58.000", "13: "],
  ])("has an error for %j written as %j", (from, to, beginning) => {
    const { rows, errors } = readFile(changed(FIRST, from, to));
    expect(rows).toHaveLength(1);
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^${beginning}`))]);
  });

  test("that is cut anywhere has no half event", () => {
    const whole = readFile(FIRST).bulletins;
    const start = FIRST.indexOf("EVENT 4021") + "EVENT 4021".length;
    for (let length = start; length < FIRST.indexOf("STOP"); length += 37) {
      const { bulletins, errors } = readFile(FIRST.slice(0, length));
      expect(bulletins).toEqual(whole.slice(0, bulletins.length));
      expect(errors).toHaveLength(1);
    }
  });

  test("without any place for an event says so", () => {
    const { rows, errors, elements } = readFile(
      changed(FIRST, "46.3000    8.4000", "                 "),
    );
    expect(rows).toHaveLength(1);
    expect(errors).toEqual(["19: the event has no origin"]);
    expect(elements?.event).toEqual({ read: 2, kept: 1, dropped: 1 });
  });
});

describe("an ISF file with more than QuakeML has", () => {
  test("keeps blocks that are not known, and letters without a meaning", () => {
    const block = "\nCategory  Score\nscreened   3.5\n";
    const text = changed(EXTENDED, "\nSTOP", `${block}\nSTOP`).replace(" mci ", " mcz ");
    const { bulletins, warnings, errors } = readFile(text);
    expect(errors).toEqual([]);
    expect(bulletins[0]?.foreign?.filter(({ name }) => name === "unknownBlock")).toMatchObject([
      { text: "Category  Score" },
      { text: "screened   3.5" },
    ]);
    expect(own(bulletins[0]?.pick?.[0])).toMatchObject({ onset: "z" });
    expect(warnings).toContain('42: columns 102 to 102 hold "z", kept as foreign');
  });

  test("keeps the values of an arrival whose origin is not there with the pick", () => {
    const { bulletins, warnings } = readFile(changed(EXTENDED, "OrigID 12345678901", "OrigID 5"));
    expect(own(bulletins[0]?.pick?.[2])).toMatchObject({
      originID: "5",
      timeResidual: "-2",
      phase: "Sg",
    });
    expect(warnings).toContainEqual(expect.stringContaining("the origin 5 is not there"));
  });

  test("has a pick of its own for another phase of the same id", () => {
    const read = readFile(changed(EXTENDED, "5003", "5002"));
    expect(read.bulletins[0]?.pick).toHaveLength(3);
    expect(own(read.bulletins[0]?.pick?.[2])).toEqual({ arrivalID: "5002" });
    const named = " (#OrigID 12345678901)\n";
    const line = EXTENDED.split("\n").find((one) => one.startsWith("BFZ     1.20"));
    const repeated = changed(EXTENDED, named, `${named}${line}\n`);
    const { pick, origin } = onlyBulletin(readFile(repeated));
    expect(pick).toHaveLength(3);
    expect(origin?.[0]?.arrival?.map(({ pickID }) => pickID)).toEqual(["5002", "5003"]);
  });

  test("keeps a mechanism that QuakeML cannot hold with its origin", () => {
    const { bulletins, errors } = readFile(changed(EXTENDED, " 1.200 120.00", "       120.00"));
    expect(errors).toEqual([]);
    expect(bulletins[0]?.focalMechanism?.[0]?.principalAxes).toBeUndefined();
    expect(own(bulletins[0]?.origin?.[1])["mechanism"]).toContain("#PRINAX");
  });
});
