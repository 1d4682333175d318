import { EventEmitter } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { createLifecycle } from "#infra/lifecycle/lifecycle.ts";
import { installSignals } from "#infra/lifecycle/signals.ts";
import { collectingLogger, silentLogger } from "../support/logger.ts";

const never = (): Promise<void> => new Promise(() => undefined);

function lifecycle(timeoutMs = 10_000) {
  return createLifecycle({ log: silentLogger(), timeoutMs });
}

describe("a lifecycle", () => {
  test("closes in reverse order, one after the other", async () => {
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

  test("closes once however often it is stopped", async () => {
    const close = vi.fn();
    const { onClose, stop } = lifecycle();
    onClose("server", close);
    await Promise.all([stop(), stop()]);
    await stop();
    expect(close).toHaveBeenCalledOnce();
  });

  test("aborts its signal before anything is closed", async () => {
    const { onClose, stop, signal } = lifecycle();
    let abortedThen = false;
    onClose("server", () => {
      abortedThen = signal.aborted;
    });
    expect(signal.aborted).toBe(false);
    await stop();
    expect(abortedThen).toBe(true);
  });

  test("goes on closing after a failure, logs it and answers false", async () => {
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

  test("gives up after its time and names what is still open", async () => {
    const { log, lines } = collectingLogger();
    const { onClose, stop } = createLifecycle({ log, timeoutMs: 5 });
    onClose("pool", never);
    onClose("server", never);
    onClose("timer", () => undefined);
    expect(await stop()).toBe(false);
    expect(lines).toMatchObject([{ msg: "stopping took too long", open: ["pool", "server"] }]);
  });

  test("closes at once what is registered after the stop", async () => {
    const { onClose, stop } = lifecycle();
    await stop();
    const close = vi.fn();
    onClose("late", close);
    expect(close).toHaveBeenCalledOnce();
  });
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
  test.each(["SIGTERM", "SIGINT"])("%s stops in order and exits with 0", async (signal) => {
    const source = new FakeProcess();
    const { onClose, stop } = lifecycle();
    const close = vi.fn();
    onClose("server", close);
    installSignals(source, { stop }, silentLogger());
    source.emit(signal, signal);
    expect(await source.exited.promise).toBe(0);
    expect(close).toHaveBeenCalledOnce();
  });

  test("a second signal exits at once", async () => {
    const source = new FakeProcess();
    installSignals(source, { stop: () => new Promise(() => undefined) }, silentLogger());
    source.emit("SIGINT", "SIGINT");
    expect(source.codes).toEqual([]);
    source.emit("SIGINT", "SIGINT");
    expect(source.codes).toEqual([1]);
  });

  test("a stop that is not clean exits with 1", async () => {
    const source = new FakeProcess();
    installSignals(source, { stop: async () => false }, silentLogger());
    source.emit("SIGTERM", "SIGTERM");
    expect(await source.exited.promise).toBe(1);
  });

  test.each(["uncaughtException", "unhandledRejection"])(
    "%s is logged as fatal, stops in order and exits with 1",
    async (event) => {
      const source = new FakeProcess();
      const { log, lines } = collectingLogger();
      const stop = vi.fn(async () => true);
      installSignals(source, { stop }, log);
      source.emit(event, new Error("boom"));
      expect(await source.exited.promise).toBe(1);
      expect(stop).toHaveBeenCalledOnce();
      expect(lines).toMatchObject([{ level: 60, err: { message: "boom" } }]);
    },
  );

  test("leaves no handler behind when taken off", () => {
    const source = new FakeProcess();
    const remove = installSignals(source, lifecycle(), silentLogger());
    remove();
    expect(source.eventNames()).toEqual([]);
  });
});
