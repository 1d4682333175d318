import type { DatabasePool } from "slonik";
import { afterAll, beforeAll } from "vitest";
import { RELAYS } from "#contracts/events/log.ts";
import { createAddressGuard } from "#infra/agency/http/address-guard.ts";
import { claimAlerts } from "#infra/brokers/notifications.ts";
import { readFeedCheckpoint } from "#infra/brokers/relay.ts";
import type { EventLog } from "#infra/log/event-log.ts";
import { createDatabase } from "#infra/postgres/pool.ts";
import { tellVersions } from "#services/alerts/teller.ts";
import { type AlertDeliveryDeps, deliverOne } from "#services/notifier/alerts.ts";
import { type AlertReceiver, startAlertReceiver } from "../../support/alert-receiver.ts";
import { silentLogger } from "../../support/logger.ts";
import { useService } from "../../support/service.ts";

const CLAIM_MS = 60_000;

/** A service that neither tells nor delivers by itself: tests do, by a clock of theirs. */
export function useAlerts(variables: Readonly<Record<string, string>> = {}) {
  const service = useService({
    ROLES: "gateway,projector",
    ALERTS_ALLOW_PRIVATE: "true",
    RATE_LIMIT_WRITE: "0",
    RATE_LIMIT_READ: "0",
    ...variables,
  });
  let receiver: AlertReceiver | undefined;
  let pool: DatabasePool | undefined;
  let log: EventLog | undefined;
  let ahead = 0;
  beforeAll(async () => {
    receiver = await startAlertReceiver();
    pool = await createDatabase(service.databaseUrl, { applicationName: "alerts by hand" });
    log = await service.log.open();
  });
  afterAll(async () => {
    await receiver?.close();
    await pool?.end();
    await log?.close();
  });
  const now = () => new Date(Date.now() + ahead);

  function deps(): AlertDeliveryDeps & { readonly databaseUrl: string } {
    if (!pool || !log) throw new Error("they are there only while tests run");
    return {
      pool,
      log,
      databaseUrl: service.databaseUrl,
      publicBaseUrl: "https://quakes.example.org",
      guard: createAddressGuard({ isOpen: true, ports: [] }),
      webhook: null,
      logger: silentLogger(),
      now,
    };
  }

  return {
    service,
    deps,
    get receiver() {
      if (!receiver) throw new Error("it is there only while tests run");
      return receiver;
    },
    /** Moves the clock ahead. */
    advance: (ms: number) => {
      ahead += ms;
    },
    now,
    /** Tells everything that the log has. @param signal ends it before */
    async tell(signal = new AbortController().signal): Promise<void> {
      const ending = new AbortController();
      const { log: read, pool: database, ...others } = deps();
      const head = await read.head();
      const rest = { ...others, log: read, pool: database, onTold() {}, onFatal() {} };
      const checked = async () => {
        const { position, part } = await readFeedCheckpoint(database, RELAYS.alerts);
        if (position >= head && part === null) ending.abort();
      };
      await checked();
      const checking: Promise<void>[] = [];
      await tellVersions(rest, AbortSignal.any([signal, ending.signal]), () => {
        checking.push(checked());
      });
      await Promise.all(checking);
    },
    /** Delivers what is due, in so many rounds at most. @returns how much that was */
    async deliver(rounds = Number.POSITIVE_INFINITY): Promise<number> {
      let count = 0;
      for (let round = 1; ; round += 1) {
        const lanes = [false, true].map((isSlow) =>
          claimAlerts(deps().pool, now(), CLAIM_MS, { isSlow, limit: 64, busy: [] }),
        );
        const claimed = (await Promise.all(lanes)).flat();
        if (claimed.length === 0) return count;
        count += claimed.length;
        await Promise.all(claimed.map((one) => deliverOne(deps(), one)));
        if (round === rounds) return count;
      }
    },
  };
}
