import { withSettings } from "./hosts.ts";

/** The system's default would leave a vanished host its advisory locks for two hours. */
const KEEPALIVE = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/**
 * `url` with the application's name (shown in pg_stat_activity) and the session settings of every
 * connection of the service: UTC, and dead peers detected within half a minute.
 * @param further additional settings
 */
export function connectionUrl(
  url: string,
  applicationName: string,
  further: Readonly<Record<string, string>> = {},
): string {
  const settings = Object.entries({ TimeZone: "UTC", ...KEEPALIVE, ...further });
  const options = settings.map(([name, value]) => `-c ${name}=${value}`);
  return withSettings(url, (parameters) => {
    const own = parameters.get("options");
    parameters.set("options", [...(own ? [own] : []), ...options].join(" "));
    parameters.set("application_name", applicationName);
  });
}
