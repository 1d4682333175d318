import type { ChangedLine } from "../../ui/text/changed-lines.ts";

/** "Magnitude 2.0 → 2.6", line by line. */
export function ChangedLines({ lines }: { readonly lines: readonly ChangedLine[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="changed-lines">
      {lines.map(({ label, from, to }) => (
        <li key={label}>
          {label} <del>{from}</del> → <ins>{to}</ins>
        </li>
      ))}
    </ul>
  );
}
