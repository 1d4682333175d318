import { readFilter } from "#contracts/cql2/read-filter.ts";
import { literalSql } from "#infra/postgres/statements.ts";
import { conditionOf } from "#projections/queries/events/event-filters.ts";
import { type Result, within } from "../report.ts";

/** All that the process may do for a filter before it serves others. */
const AT_MOST_MS = 20;

const square = (x: number) => `POLYGON((${x} 0,${x + 2} 0,${x + 2} 2.1,${x} 2,${x} 0))`;
const star = Array.from({ length: 500 }, (_, i) => {
  const angle = (2 * Math.PI * ((i * 248) % 499)) / 499;
  return `${(170 * Math.cos(angle)).toFixed(4)} ${(85 * Math.sin(angle)).toFixed(4)}`;
});

/** Filters that are accepted and take most. */
const FILTERS: Readonly<Record<string, string>> = {
  "99 polygons of 4 vertices": Array.from(
    { length: 99 },
    (_, i) => `s_intersects(geometry,${square(i)})`,
  ).join(" and "),
  "a star of 499 vertices": `s_intersects(geometry,POLYGON((${star.join()})))`,
  "99 patterns": Array(99).fill("source_id like '%s%_%7d%z%'").join(" or "),
};

/** How long a filter of a guest keeps the process from everything else: from its text to that of the statement. */
export async function benchFilterWork(repetitions: number): Promise<Result[]> {
  return Object.entries(FILTERS).map(([name, text]) => {
    const figures = Array.from({ length: repetitions }, () => {
      const start = process.threadCpuUsage();
      literalSql(conditionOf(readFilter(text, "cql2-text")));
      const { user, system } = process.threadCpuUsage(start);
      return (user + system) / 1_000;
    });
    return {
      case: `filter: ${name}`,
      size: "",
      unit: "ms of a processor",
      ...within(AT_MOST_MS, figures),
    };
  });
}
