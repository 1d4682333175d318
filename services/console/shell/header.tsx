import { Link, useLocation } from "wouter-preact";
import { has, signOut, user } from "../api/session.ts";
import { type PageRoute, routes } from "../routes.ts";
import { Menu } from "../ui/menu.tsx";
import { hereAsNext } from "../ui/next-address.ts";
import { notice } from "../ui/notices.tsx";
import { theme, toggleTheme } from "../ui/theme.ts";

/** Menus, after the entries of single pages. */
const MENUS = ["New", "Administration"] as const;

export function Header() {
  const [path] = useLocation();
  const shown = routes.filter(({ role }) => role === undefined || has(role));
  const entriesOf = (entry: PageRoute["entry"]) => shown.filter((route) => route.entry === entry);
  return (
    <header class="header">
      <Link href="/" class="brand">
        Earthquake catalogues
      </Link>
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
      <div class="header-end">
        <button type="button" class="plain" onClick={toggleTheme}>
          {theme.value === "dark" ? "Light" : "Dark"}
        </button>
        <Account />
      </div>
    </header>
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

function Account() {
  const [, navigate] = useLocation();
  if (user.value === undefined) return null;
  if (user.value === null) {
    return (
      <>
        <Link href={`/login${hereAsNext()}`}>Sign in</Link>
        <Link href="/register">Register</Link>
      </>
    );
  }
  const leave = async () => {
    await signOut().catch(notice.error);
    navigate("/");
  };
  return (
    <>
      <Link href="/profile" title={`${user.value.email}, ${user.value.role}`}>
        {user.value.name}
      </Link>
      <button type="button" class="plain" onClick={leave}>
        Sign out
      </button>
    </>
  );
}
