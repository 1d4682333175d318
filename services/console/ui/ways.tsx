import type { Signal } from "@preact/signals";
import { Link } from "wouter-preact";
import { Button } from "./page.tsx";
import { count } from "./text/format.ts";

type PagingProps = {
  readonly label: string;
  /** Where the first page is; null on it. */
  readonly newest: string | null;
  /** Where the next page is; null on the last. */
  readonly older: string | null;
};

/** The ways through a list that begins with the newest. */
export function Paging({ label, newest, older }: PagingProps) {
  if (newest === null && older === null) return null;
  return (
    <nav class="row" aria-label={label}>
      {newest !== null && <Link href={newest}>Newest</Link>}
      {older !== null && <Link href={older}>Older</Link>}
    </nav>
  );
}

type TurningProps = {
  readonly label: string;
  /** Which page of the list is shown, from 0. */
  readonly page: Signal<number>;
  readonly size: number;
  readonly total: number;
  readonly words?: readonly [back: string, on: string];
};

/** The ways through a list that is here whole; nothing where one page has all of it. */
export function Turning(props: TurningProps) {
  const { label, page, size, total, words = ["Previous", "Next"] } = props;
  const from = page.value * size;
  if (total <= size) return null;
  return (
    <nav class="row" aria-label={label}>
      <Button disabled={from === 0} onClick={() => page.value--} text={words[0]} />
      <Button disabled={from + size >= total} onClick={() => page.value++} text={words[1]} />
      <span class="muted">
        {count(from + 1)} to {count(Math.min(total, from + size))} of {count(total)}
      </span>
    </nav>
  );
}

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

/** Where one is on a way of several steps; `at` counts from 0. */
export function Steps({ names, at }: { readonly names: readonly string[]; readonly at: number }) {
  return (
    <ol class="steps" aria-label="Steps">
      {names.map((name, index) => (
        <li
          key={name}
          class={index < at ? "done" : undefined}
          aria-current={index === at ? "step" : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}
