import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { hereAsNext, mayUse, signOut, user } from "../api/session.ts";
import { notice, useAction } from "../ui/call.tsx";
import { Segmented } from "../ui/form/fields.tsx";
import { Icon, Mark } from "../ui/icon.tsx";
import { listen } from "../ui/listen.ts";
import { Menu, useOpenList } from "../ui/menu.tsx";
import { Button, ButtonLink, type PageRoute } from "../ui/page.tsx";
import { chooseTheme, type ThemeChoice, themeChoice } from "../ui/style/theme.ts";
import { roleName } from "../ui/text/roles.ts";
import type { Palette } from "./palette.tsx";

/** Menus, after the entries of single pages. */
const MENUS = ["New", "Administration"] as const;
const PARTS = "header-parts";

type HeaderProps = { readonly routes: readonly PageRoute[] };

/** The ways to the pages. Where the window is narrow, a button unfolds them (header.css). */
export function Header({ routes }: HeaderProps) {
  const { open, palette } = usePalette(routes);
  const { isOpen, button } = useOpenList();
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
          <button type="button" class="palette-button" aria-keyshortcuts="Control+K" onClick={open}>
            <Icon name="search" />
            Go to… <kbd>Ctrl K</kbd>
          </button>
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

/**
 * The window in which everything is found by typing; its code is loaded when it is opened.
 * @returns what opens it, and the window itself, which has to stand where nothing folds it away
 */
function usePalette(routes: readonly PageRoute[]) {
  const opened = useSignal<{ readonly Palette: typeof Palette } | null>(null);
  const open = () => {
    import("./palette.tsx").then((file) => {
      opened.value = file;
    }, notice.error);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      // Of the browser it is the search field, where it has one.
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) open();
    };
    return listen({ keydown: onKey });
  }, []);
  const Window = opened.value?.Palette;
  const palette = Window && <Window routes={routes} onClose={() => (opened.value = null)} />;
  return { open, palette };
}

/** Who is signed in, and what is chosen for this browser. */
function Account() {
  const me = user.value;
  if (me) return <SignedIn name={me.name} facts={`${me.email}, ${roleName(me.role)}`} />;
  return (
    <>
      <Menu text="Theme" icon="theme">
        <ThemeChoices />
      </Menu>
      {me === null && (
        <>
          <ButtonLink class="quiet" href={`/login${hereAsNext()}`} text="Sign in" />
          <ButtonLink href="/register" text="Register" />
        </>
      )}
    </>
  );
}

function SignedIn({ name, facts }: { readonly name: string; readonly facts: string }) {
  const [, navigate] = useLocation();
  const { isBusy, run } = useAction();
  const leave = () =>
    run(async () => {
      await signOut();
      navigate("/");
    });
  return (
    <Menu text={name} label={`Account of ${name}`} icon="person">
      <li class="account-facts">{facts}</li>
      <ThemeChoices />
      <li>
        <Link href="/profile">Profile</Link>
      </li>
      <li>
        <Button class="quiet" disabled={isBusy.value} onClick={leave} text="Sign out" />
      </li>
    </Menu>
  );
}

const CHOICES: readonly { readonly value: ThemeChoice; readonly text: string }[] = [
  { value: "system", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
];

/** The choice of a theme, as an entry of a menu. */
function ThemeChoices() {
  return (
    <li class="theme-choices">
      <Segmented legend="Theme" value={themeChoice.value} options={CHOICES} onValue={chooseTheme} />
    </li>
  );
}
