import { expect, test } from "vitest";

/** One test of all rows: it tells the rows that fail, each with its error. Where all are lists, they are spread. */
export function testRows<const Row>(
  title: string,
  rows: readonly Row[],
  check: (...row: Row extends readonly unknown[] ? [...Row] : [Row]) => unknown,
): void {
  test(title, async () => {
    expect(rows.length).toBeGreaterThan(0);
    const areLists = rows.every((row) => Array.isArray(row));
    const failures: string[] = [];
    for (const row of rows) {
      const given = (areLists ? row : [row]) as Parameters<typeof check>;
      try {
        await check(...given);
      } catch (error) {
        const told = JSON.stringify(row, (_, value) =>
          value instanceof RegExp ? `${value}` : value,
        );
        failures.push(`${told?.slice(0, 200)}: ${error instanceof Error ? error.message : error}`);
      }
    }
    expect(failures.join("\n")).toBe("");
  });
}
