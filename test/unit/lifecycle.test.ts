import { EventEmitter } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { createLifecycle, installSignals } from "#infra/process/lifecycle.ts";
import { collectingLogger, silentLogger } from "../support/logger.ts";

const never = (): Promise<void> => new Promise(() => undefined);
const nothing = async (): Promise<void> => {};

function lifecycle(timeoutMs = 10_000) {
  return createLifecycle({ log: silentLogger(), timeoutMs });
}

test("a lifecycle closes in reverse order, one after the other", async () => {
  const order: string[] = [];
  const { onClose, stop } = lifecycle();
  for (const name of ["pool", "log", "server"]) {
    onClose(name, async () => {
      order.push(`${name} closing`);
      await Promise.resolve();
      order.push(`${name} closed`);
    });
  }
  expect(await stop()).toBe(true);
  expect(order).toEqual([
    "server closing",
    "server closed",
    "log closing",
    "log closed",
    "pool closing",
    "pool closed",
  ]);
});

test("a lifecycle closes once however often it is stopped", async () => {
  const close = vi.fn();
  const { onClose, stop } = lifecycle();
  onClose("server", close);
  await Promise.all([stop(), stop()]);
  await stop();
  expect(close).toHaveBeenCalledOnce();
});

test("a lifecycle aborts its signal before anything is closed", async () => {
  const { onClose, stop, signal } = lifecycle();
  let abortedThen = false;
  onClose("server", () => {
    abortedThen = signal.aborted;
  });
  expect(signal.aborted).toBe(false);
  await stop();
  expect(abortedThen).toBe(true);
});

test("a lifecycle goes on closing after a failure, logs it and answers false", async () => {
  const { log, lines } = collectingLogger();
  const { onClose, stop } = createLifecycle({ log, timeoutMs: 10_000 });
  const close = vi.fn();
  onClose("pool", close);
  onClose("server", () => {
    throw new Error("stuck");
  });
  expect(await stop()).toBe(false);
  expect(close).toHaveBeenCalledOnce();
  expect(lines).toMatchObject([{ msg: "closing failed", resource: "server" }]);
});

test("a lifecycle gives up after its time and names what is still open", async () => {
  const { log, lines } = collectingLogger();
  const { onClose, stop } = createLifecycle({ log, timeoutMs: 5 });
  onClose("pool", never);
  onClose("server", never);
  onClose("timer", () => undefined);
  expect(await stop()).toBe(false);
  expect(lines).toMatchObject([{ msg: "stopping took too long", open: ["pool", "server"] }]);
});

test("a lifecycle waits for nothing any more when time presses, and closes what is left", async () => {
  const { onClose, stop } = createLifecycle({
    log: silentLogger(),
    timeoutMs: 10_000,
    hurryMs: 5,
  });
  const ended = Promise.withResolvers<void>();
  onClose("database", () => ended.resolve());
  onClose("server", () => ended.promise);
  expect(await stop()).toBe(true);
});

test("a lifecycle ends by force what outlives its time, before it answers", async () => {
  const { onClose, stop } = lifecycle(5);
  const force = vi.fn(nothing);
  const other = vi.fn(nothing);
  onClose("database", never, { force });
  onClose("closed", nothing, { force: other });
  expect(await stop()).toBe(false);
  expect(force).toHaveBeenCalledOnce();
  expect(other).not.toHaveBeenCalled();
});

test("a lifecycle begins at once to close what nothing needs, and waits for it in its turn", async () => {
  const order: string[] = [];
  const { onClose, stop } = lifecycle();
  onClose("pool", () => void order.push("pool"));
  onClose("notifier", () => void order.push("notifier"), { atOnce: true });
  onClose("server", () => void order.push("server"));
  expect(await stop()).toBe(true);
  expect(order).toEqual(["notifier", "server", "pool"]);
});

test("a lifecycle closes at once what is registered after the stop", async () => {
  const { onClose, stop } = lifecycle();
  await stop();
  const close = vi.fn();
  onClose("late", close);
  expect(close).toHaveBeenCalledOnce();
});

class FakeProcess extends EventEmitter {
  readonly exited = Promise.withResolvers<number>();
  readonly codes: number[] = [];

  exit(code: number): void {
    this.codes.push(code);
    this.exited.resolve(code);
  }
}

describe("signals", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"])(
    "%s stops in order and exits with 0",
    async (signal) => {
      const source = new FakeProcess();
      const { onClose, stop } = lifecycle();
      const close = vi.fn();
      onClose("server", close);
      installSignals(source, { stop, force: nothing }, silentLogger());
      source.emit(signal, signal);
      expect(await source.exited.promise).toBe(0);
      expect(close).toHaveBeenCalledOnce();
    },
  );

  test("a signal within a second of the first is the same one", () => {
    const source = new FakeProcess();
    let ms = 0;
    const force = vi.fn(nothing);
    installSignals(
      source,
      { stop: () => new Promise<boolean>(() => undefined), force },
      silentLogger(),
      () => ms,
    );
    for (ms of [0, 3, 999]) source.emit("SIGINT", "SIGINT");
    expect(source.codes).toEqual([]);
    expect(force).not.toHaveBeenCalled();
  });

  test("another one later exits with 1 as soon as what would outlive the process is ended", async () => {
    const source = new FakeProcess();
    let ms = 0;
    const forced = Promise.withResolvers<void>();
    installSignals(
      source,
      { stop: () => new Promise<boolean>(() => undefined), force: () => forced.promise },
      silentLogger(),
      () => ms,
    );
    source.emit("SIGINT", "SIGINT");
    ms = 1_000;
    source.emit("SIGTERM", "SIGTERM");
    expect(source.codes).toEqual([]);
    forced.resolve();
    expect(await source.exited.promise).toBe(1);
  });

  test("a stop that is not clean exits with 1", async () => {
    const source = new FakeProcess();
    installSignals(source, { stop: async () => false, force: nothing }, silentLogger());
    source.emit("SIGTERM", "SIGTERM");
    expect(await source.exited.promise).toBe(1);
  });

  test.each(["uncaughtException", "unhandledRejection"])(
    "%s is logged as fatal, stops in order and exits with 1",
    async (event) => {
      const source = new FakeProcess();
      const { log, lines } = collectingLogger();
      const stop = vi.fn(async () => true);
      installSignals(source, { stop, force: nothing }, log);
      source.emit(event, new Error("boom"));
      expect(await source.exited.promise).toBe(1);
      expect(stop).toHaveBeenCalledOnce();
      expect(lines).toMatchObject([{ level: 60, err: { message: "boom" } }]);
    },
  );

  test("the listener for signals leaves no handler behind when taken off", () => {
    const source = new FakeProcess();
    const remove = installSignals(source, lifecycle(), silentLogger());
    remove();
    expect(source.eventNames()).toEqual([]);
  });
});
