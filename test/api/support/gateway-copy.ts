import type { TestService } from "../../support/service.ts";
import { type ServiceProcess, startServiceProcess } from "../../support/service-process.ts";

/** That of a service of which copies are started: sessions of one hold at the other. */
export const SHARED_SECRET = "one secret that both copies share..";

/** Another gateway over the log and the database of a service, in a process of its own. */
export function startGatewayCopy(
  { databaseUrl, log }: Pick<TestService, "databaseUrl" | "log">,
  variables: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  return startServiceProcess({
    DATABASE_URL: databaseUrl,
    ...log.variables,
    JWT_SECRET: SHARED_SECRET,
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    ROLES: "gateway",
    ...variables,
  });
}
