import type { ComponentType } from "preact";
import type { Role } from "#contracts/rights.ts";

/** Parameters of a page's address, by their names in its path. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

export type PageRoute = {
  readonly path: string;
  /** Stands in the window's title, and in menus. */
  readonly title: string;
  /** Who may see the page; absent, everybody. */
  readonly role?: Role;
  /** Where the header leads to it: by an entry of its own, or in the menu of that name. */
  readonly entry?: "own" | "New" | "Administration";
  /** Whether it is a page of shared catalogues too. */
  readonly isShared?: true;
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
};

/** The page of an event, as it is at a version or now. */
export function addressOfEvent(catalogue: string, event: string, asOf?: string | number): string {
  const address = `/catalogues/${catalogue}/events/${event}`;
  return asOf === undefined ? address : `${address}?asOf=${encodeURIComponent(asOf)}`;
}
