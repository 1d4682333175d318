import { useEffect } from "preact/hooks";
import { Link, useLocation } from "wouter-preact";
import { type Role, readSession, user } from "../api/session.ts";
import { hereAsNext } from "../ui/call/next-address.ts";
import { Empty } from "../ui/empty.tsx";

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
    <section class="page">
      <h1>Not for your role</h1>
      <Empty
        title={`This page is for ${PEOPLE[role]}; you are signed in as ${user.value?.role}.`}
        text="You can ask for another role in your profile; an administrator decides."
      >
        <Link class="button" href="/profile">
          To the profile
        </Link>
        <Link class="button quiet" href="/">
          All catalogues
        </Link>
      </Empty>
    </section>
  );
}
