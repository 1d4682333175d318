import { freePort } from "#infra/postgres/embedded/server.ts";
import { type TestService, type UseServiceOptions, useService } from "../../support/service.ts";

const WITHOUT_LIMIT = { RATE_LIMIT_CLIENTS: "0", RATE_LIMIT_READ: "0", RATE_LIMIT_WRITE: "0" };

/** The whole service, whose answers and mails lead to where clients have reached it. */
export async function useReachableService(
  variables: Readonly<Record<string, string>> = {},
  options: UseServiceOptions = {},
): Promise<TestService> {
  const port = await freePort();
  const own = { PORT: String(port), PUBLIC_BASE_URL: `http://127.0.0.1:${port}` };
  return useService({ ...WITHOUT_LIMIT, ...variables, ...own }, options);
}

/** The same, whose answers lead to another address, for example that of a proxy. */
export function useServiceBehind(address: string): TestService {
  return useService({ ...WITHOUT_LIMIT, PUBLIC_BASE_URL: address });
}
