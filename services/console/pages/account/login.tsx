import { useSearch } from "wouter-preact";
import { useSettings } from "../../api/settings.ts";
import { AccountPage } from "../../features/account/account-page.tsx";
import {
  InstituteRefusal,
  InstituteSignIn,
  PasswordSignIn,
} from "../../features/account/sign-in.tsx";

export function Page() {
  const search = useSearch();
  const settings = useSettings();
  const byPassword = <PasswordSignIn search={search} settings={settings} />;
  const { passwords, institute } = settings?.signIn ?? { passwords: true, institute: false };
  return (
    <AccountPage title="Sign in">
      <InstituteRefusal search={search} />
      {institute && <InstituteSignIn search={search} isOneOfTwo={passwords} />}
      {institute && passwords && <h2>Or with a password</h2>}
      {passwords ? (
        byPassword
      ) : (
        <details>
          <summary>Sign in as this service's first administrator</summary>
          {byPassword}
        </details>
      )}
    </AccountPage>
  );
}
