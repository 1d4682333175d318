import { createPasswords } from "#infra/vault/credentials.ts";
import type { BenchService } from "../../support/bench-service.ts";
import { openPosting, type Posting } from "../asking.ts";
import { beside, compareBetween, type Result } from "../measure.ts";

const AT_ONCE = 16;
/** Until V8 has compiled what an account takes. */
const WARM_UPS = 2;
const TARGET = 1.5;
const PASSWORD = "only for the benchmark";

/**
 * Registering accounts and signing in to each, against the bare hashing: the same library and cost, one
 * hash and one verification for each account, as many at once.
 */
export async function benchAccounts(
  { url }: Pick<BenchService, "url">,
  count: number,
  repetitions: number,
): Promise<Result> {
  const guest = openPosting(url, AT_ONCE);
  const passwords = createPasswords();
  let round = 0;
  const ours = (): Promise<void> => {
    round += 1;
    return atOnce(count, (i) => registerAndSignIn(guest, `bench-${round}-${i}@example.org`));
  };
  const yardstick = (): Promise<void> =>
    atOnce(count, async () => {
      const hash = await passwords.hash(PASSWORD);
      if (!(await passwords.verify(hash, PASSWORD))) throw new Error("a hash does not match");
    });
  const comparison = await compareBetween(repetitions, ours, yardstick, WARM_UPS);
  guest.close();
  return beside(
    ["registering and signing in", `${count} accounts, ${AT_ONCE} at once`, "s"],
    ["bare Argon2id", TARGET],
    comparison,
  );
}

async function registerAndSignIn({ post }: Posting, email: string): Promise<void> {
  const registered = await post("/api/auth/register", { name: "Bench", email, password: PASSWORD });
  if (registered !== 201) throw new Error(`registering answered ${registered}`);
  const signedIn = await post("/api/auth/login", { email, password: PASSWORD });
  if (signedIn !== 200) throw new Error(`signing in answered ${signedIn}`);
}

async function atOnce(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
