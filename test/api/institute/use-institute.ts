import { afterAll, beforeAll } from "vitest";
import { newEmail } from "../../support/api/accounts.ts";
import {
  createVisitor,
  type Institute,
  type Person,
  startInstitute,
  type Visitor,
} from "../../support/openid/start-institute.ts";
import { type TestService, type UseServiceOptions, useService } from "../../support/service.ts";

const PUBLIC_BASE_URL = "http://catalogues.example.org";
const CALLBACK = `${PUBLIC_BASE_URL}/api/auth/oidc/callback`;

export type SignInAnswer = {
  readonly status: number;
  readonly location: string | null;
  readonly body: { readonly error?: string };
};

export type InstituteScene = {
  readonly institute: Institute;
  readonly service: TestService;
  /** Begins at the service and signs in at the institute; the address that leads back, not asked yet. */
  readonly arrive: (
    visitor: Visitor,
    path?: string,
    change?: (url: URL) => void,
  ) => Promise<string>;
  /** Asks the address that leads back. */
  readonly comeBack: (visitor: Visitor, callback: string) => Promise<SignInAnswer>;
  /** Both, as a person at a new browser by default. */
  readonly signIn: (person: Person | null, visitor?: Visitor) => Promise<SignInAnswer>;
  /** Who is signed in. */
  readonly session: (
    visitor: Visitor,
  ) => Promise<{ readonly [member: string]: unknown } | undefined>;
};

/** A service and the institute whose accounts sign in there. */
export function useInstitute(
  variables: Readonly<Record<string, string>> = {},
  options: UseServiceOptions = {},
): InstituteScene {
  let institute: Institute | undefined;
  beforeAll(async () => {
    institute = await startInstitute([CALLBACK]);
  });
  const there = (): Institute => {
    if (!institute) throw new Error("the institute is there only while tests run");
    return institute;
  };
  const service = useService(() => ({ ...there().variables, ...variables }), options);
  afterAll(() => institute?.close());

  const at = (address: string): string => {
    const { pathname, search } = new URL(address, PUBLIC_BASE_URL);
    return service.url + pathname + search;
  };
  const arrive: InstituteScene["arrive"] = async (visitor, path = "/api/auth/oidc", change) => {
    const begun = await visitor.get(at(path));
    const url = new URL(begun.headers.get("location") ?? "about:blank");
    change?.(url);
    return visitor.follow(url.href, CALLBACK);
  };
  const comeBack: InstituteScene["comeBack"] = async (visitor, callback) => {
    const response = await visitor.get(at(callback));
    const text = await response.text();
    const location = response.headers.get("location");
    return { status: response.status, location, body: text === "" ? {} : JSON.parse(text) };
  };
  return {
    get institute() {
      return there();
    },
    service,
    arrive,
    comeBack,
    signIn: async (person, visitor = createVisitor()) => {
      there().attend(person);
      return comeBack(visitor, await arrive(visitor));
    },
    session: async (visitor) => {
      const response = await visitor.get(at("/api/auth/session"));
      return ((await response.json()) as { user?: { readonly [member: string]: unknown } }).user;
    },
  };
}

let count = 0;

/** Somebody whom the institute knows, with a verified address. */
export function newPerson(claims: Readonly<Record<string, unknown>> = {}): Person {
  count += 1;
  return {
    sub: `person-${count}`,
    email: newEmail(),
    email_verified: true,
    name: "Ana Ōkahu",
    ...claims,
  };
}
