import { Link } from "wouter-preact";

type StatusTabsProps = {
  readonly label: string;
  /** The page's address without a query. */
  readonly path: string;
  readonly statuses: readonly string[];
  /** What they are called, where that is not their name. */
  readonly words?: Readonly<Record<string, string>>;
  /** Undefined: all. */
  readonly chosen: string | undefined;
};

/** Narrows a list to one status, by the address. */
export function StatusTabs({ label, path, statuses, words = {}, chosen }: StatusTabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {[undefined, ...statuses].map((one) => (
        <Link
          key={one ?? ""}
          href={one ? `${path}?status=${one}` : path}
          aria-current={one === chosen ? "page" : undefined}
        >
          {one === undefined ? "all" : (words[one] ?? one)}
        </Link>
      ))}
    </nav>
  );
}
