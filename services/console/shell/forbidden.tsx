import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { type Role, readSession, user } from "../api/session.ts";
import { hereAsNext } from "../ui/call/next-address.ts";

/** Whom a page is for. */
const PEOPLE: Readonly<Record<Role, string>> = {
  viewer: "people with an account",
  editor: "editors",
  admin: "administrators",
};

/** Sends guests to sign in and back; tells others which role the page needs. */
export function Forbidden({ role }: { readonly role: Role }) {
  const [, navigate] = useLocation();
  const isGuest = user.value === null;
  useEffect(() => {
    if (isGuest) navigate(`/login${hereAsNext()}`, { replace: true });
  }, [isGuest]);
  // The role may have been raised since the service was asked.
  useEffect(() => {
    if (!isGuest) readSession().catch(() => undefined);
  }, []);
  if (isGuest) return null;
  return (
    <section class="page narrow">
      <h1>Not for your role</h1>
      <p>
        This page is for {PEOPLE[role]}; you are signed in as {user.value?.role}. You can ask for
        another role in your <Link href="/profile">profile</Link>.
      </p>
    </section>
  );
}
