import { Link, useLocation } from "wouter-preact";
import { has, type Role, signOut, user } from "../api/session.ts";
import { hereAsNext } from "../ui/next-address.ts";
import { notice } from "../ui/notices.tsx";
import { theme, toggleTheme } from "../ui/theme.ts";

type Entry = { readonly href: string; readonly text: string; readonly role?: Role };

const ENTRIES: readonly Entry[] = [{ href: "/catalogues", text: "Catalogues" }];

export function Header() {
  const [path] = useLocation();
  const at = path === "/" ? "/catalogues" : path;
  const shown = ENTRIES.filter(({ role }) => role === undefined || has(role));
  return (
    <header class="header">
      <Link href="/" class="brand">
        Earthquake catalogues
      </Link>
      <nav aria-label="Pages">
        {shown.map(({ href, text }) => (
          <Link key={href} href={href} aria-current={at.startsWith(href) ? "page" : undefined}>
            {text}
          </Link>
        ))}
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
      <span class="muted" title={`${user.value.email}, ${user.value.role}`}>
        {user.value.name}
      </span>
      <button type="button" class="plain" onClick={leave}>
        Sign out
      </button>
    </>
  );
}
