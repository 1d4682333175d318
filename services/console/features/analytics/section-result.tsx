import { Result } from "../../plots/chart/result.tsx";
import type { Section } from "../../plots/depth-section.ts";
import { MOST_SHAPES } from "../../plots/section-chart.ts";
import { count, events } from "../../ui/text/format.ts";

type FixedDepths = {
  readonly count: number;
  readonly values: readonly { readonly depth: number }[];
};

type SectionResultProps = {
  readonly section: Section;
  readonly method: string;
  /** Depths that were set, once they are known. */
  readonly fixed: FixedDepths | undefined;
};

/** What a section shows, and what to beware of. */
export function SectionResult({ section, method, fixed }: SectionResultProps) {
  const { index, across, withoutDepth, beside } = section;
  const isLarge = index.length > MOST_SHAPES;
  return (
    <Result
      facts={[
        { name: "Drawn", text: events(index.length) },
        { name: "Without a depth, not drawn", text: count(withoutDepth) },
        ...(across ? [{ name: "Farther from the profile", text: count(beside) }] : []),
      ]}
      nothing={index.length === 0 ? "No event has a depth here." : null}
      warnings={[...fixedWarning(fixed), ...(isLarge ? [LARGE] : [])]}
      how={[
        { name: "Method", text: method },
        { name: "Discs", text: "grow with the magnitude; those without one are hollow" },
        ...(across ? [] : [{ name: "Scales", text: "depths and degrees have their own" }]),
      ]}
    />
  );
}

const LARGE = `More than ${count(MOST_SHAPES)} discs are pixels in the SVG; its axes and texts are lines.`;

function fixedWarning(fixed: FixedDepths | undefined): readonly string[] {
  if (!fixed || fixed.count === 0) return [];
  const values = fixed.values.map(({ depth }) => `${depth} km`).join(", ");
  const at = values === "" ? "" : `, at ${values}`;
  return [
    `${count(fixed.count)} of these events have a depth that was set${at}, not located: a line of them need not be real.`,
  ];
}
