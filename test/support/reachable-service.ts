import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { type TestService, type UseServiceOptions, useService } from "./service.ts";

type Variables = Readonly<Record<string, string>>;

const WITHOUT_LIMIT = { RATE_LIMIT_CLIENTS: "0", RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0" };

/** Settings of a service whose answers and mails lead to where clients have reached it. */
export async function reachableSettings(): Promise<Variables> {
  const port = await freePort();
  return { ...WITHOUT_LIMIT, PORT: String(port), PUBLIC_BASE_URL: `http://127.0.0.1:${port}` };
}

/** The whole service with them. */
export async function useReachableService(
  variables: Variables = {},
  options: UseServiceOptions = {},
): Promise<TestService> {
  return useService({ ...(await reachableSettings()), ...variables }, options);
}

/** The same, whose answers lead to another address, for example that of a proxy. */
export function useServiceBehind(address: string): TestService {
  return useService({ ...WITHOUT_LIMIT, PUBLIC_BASE_URL: address });
}
