import { Link, useLocation } from "wouter-preact";
import { signOut, user } from "../api/session.ts";
import { hereAsNext } from "../ui/call/next-address.ts";
import { useAction } from "../ui/call/use-action.ts";
import { Menu } from "../ui/menu.tsx";
import { roleName } from "../ui/text/roles.ts";
import { ThemeChoices } from "./theme-choices.tsx";

/** Who is signed in, and what is chosen for this browser. */
export function Account() {
  const me = user.value;
  if (me) return <SignedIn name={me.name} facts={`${me.email}, ${roleName(me.role)}`} />;
  return (
    <>
      <Menu text="Theme" icon="theme">
        <ThemeChoices />
      </Menu>
      {me === null && (
        <>
          <Link class="button quiet" href={`/login${hereAsNext()}`}>
            Sign in
          </Link>
          <Link class="button" href="/register">
            Register
          </Link>
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
        <button type="button" class="quiet" disabled={isBusy.value} onClick={leave}>
          Sign out
        </button>
      </li>
    </Menu>
  );
}
