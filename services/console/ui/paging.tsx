import { Link } from "wouter-preact";

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
