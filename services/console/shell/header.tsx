import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { mayUse } from "../api/session.ts";
import type { PageRoute } from "../model/page-route.ts";
import { Mark } from "../ui/mark.tsx";
import { Menu } from "../ui/menu.tsx";
import { Account } from "./account.tsx";
import { PaletteButton, usePalette } from "./palette-button.tsx";

/** Menus, after the entries of single pages. */
const MENUS = ["New", "Administration"] as const;
const PARTS = "header-parts";

type HeaderProps = { readonly routes: readonly PageRoute[] };

/** The ways to the pages. Where the window is narrow, a button unfolds them (header.css). */
export function Header({ routes }: HeaderProps) {
  const [path] = useLocation();
  const { open, palette } = usePalette(routes);
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  // At once with the list: an Escape that follows its opening must not be missed.
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      isOpen.value = false;
      button.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [isOpen.value]);
  return (
    <header class="header">
      <Brand />
      <button
        ref={button}
        type="button"
        class="header-button"
        aria-expanded={isOpen.value}
        aria-controls={PARTS}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        Menu
      </button>
      <div id={PARTS} class={isOpen.value ? "header-parts open" : "header-parts"}>
        <Pages routes={routes} />
        <div class="header-end">
          <PaletteButton onOpen={open} />
          <Account />
        </div>
      </div>
      {palette}
    </header>
  );
}

/** Over the pages of a share: no way leads to others. */
export function SharedHeader() {
  return (
    <header class="header">
      <Brand />
      <span class="badge">shared, read-only</span>
    </header>
  );
}

function Brand() {
  return (
    <Link href="/" class="brand">
      <Mark />
      Earthquake catalogues
    </Link>
  );
}

function Pages({ routes }: HeaderProps) {
  const [path] = useLocation();
  const permitted = routes.filter(({ role }) => mayUse(role));
  const entriesOf = (entry: PageRoute["entry"]) =>
    permitted.filter((route) => route.entry === entry);
  return (
    <nav aria-label="Pages">
      {entriesOf("own").map((route) => (
        <Entry key={route.path} route={route} />
      ))}
      {MENUS.map((name) => {
        const entries = entriesOf(name);
        if (entries.length === 0) return null;
        return (
          <Menu key={name} text={name} isCurrent={entries.some((one) => isAt(path, one))}>
            {entries.map((route) => (
              <li key={route.path}>
                <Entry route={route} />
              </li>
            ))}
          </Menu>
        );
      })}
    </nav>
  );
}

function Entry({ route }: { readonly route: PageRoute }) {
  const [path] = useLocation();
  return (
    <Link href={route.path} aria-current={isAt(path, route) ? "page" : undefined}>
      {route.title}
    </Link>
  );
}

/** Whether an address is the page's, or below it. */
function isAt(address: string, { path }: PageRoute): boolean {
  const at = address === "/" ? "/catalogues" : address;
  return at === path || at.startsWith(`${path}/`);
}
