import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Metadata, Server, ServerCredentials, type sendUnaryData, status } from '@grpc/grpc-js';
import { pino } from 'pino';
import type { SentDelivery } from '../../notifier/delivery-sender.ts';
import { LeaseLoop } from '../../notifier/lease-loop.ts';
import { MemberCores } from '../../notifier/member-cores.ts';
import { clients } from '../../proto/clients.ts';
import { gsqV1 } from '../../proto/descriptors.ts';
import type { DeliveryResult__Output } from '../../proto/generated/gsq/v1/DeliveryResult.ts';
import type { LeaseDeliveriesResponse } from '../../proto/generated/gsq/v1/LeaseDeliveriesResponse.ts';
import type { NotifyServiceHandlers } from '../../proto/generated/gsq/v1/NotifyService.ts';

const SENT: SentDelivery = {
  httpStatus: 200,
  error: '',
  notSent: false,
  retryAfterSeconds: 0,
  body: Buffer.alloc(0),
  durationMs: 5,
};

/**
 * A fake core whose answers the test chooses. Emits `waiting` when a call waits for webhook deliveries, and `reported`
 * when results of deliveries arrive.
 */
class ScriptedCore extends EventEmitter {
  readonly reports: DeliveryResult__Output[] = [];
  readonly asked: number[] = [];
  readonly waits: number[] = [];
  waiting: sendUnaryData<LeaseDeliveriesResponse>[] = [];
  failReports = 0;
  #server = new Server();

  async start(): Promise<string> {
    const service: NotifyServiceHandlers = {
      LeaseDeliveries: (call, answer) => {
        this.asked.push(call.request.maxDeliveries);
        this.waits.push(call.request.waitMs);
        this.waiting.push(answer);
        this.emit('waiting');
      },
      ReportDeliveries: (call, answer) => {
        if (this.failReports > 0) {
          this.failReports--;
          return answer({ code: status.UNAVAILABLE });
        }
        this.reports.push(...call.request.results);
        answer(null, {});
        this.emit('reported');
      },
    };
    this.#server.addService(gsqV1.NotifyService.service, { ...service });
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    return `127.0.0.1:${port}`;
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  /**
   * Answers the oldest unanswered call in which the notifier asks for webhook deliveries. If there is none, waits for a
   * call. The answer contains one delivery for each lease id in `ids`.
   */
  async lease(...ids: number[]): Promise<void> {
    if (this.waiting.length === 0) await once(this, 'waiting');
    const deliveries = ids.map(leaseId => ({
      leaseId,
      url: `https://hook.example/${leaseId}`,
      method: 'POST',
    }));
    this.waiting.shift()?.(null, { deliveries, allowTargets: ['127.0.0.0/8'], denyTargets: [] });
  }

  async reported(count: number): Promise<number[]> {
    while (this.reports.length < count) await once(this, 'reported');
    return this.reports.map(({ leaseId }) => Number(leaseId)).sort((a, b) => a - b);
  }
}

interface Running {
  core: ScriptedCore;
  loop: LeaseLoop;
}

async function start(t: TestContext, send: (leaseId: number) => Promise<SentDelivery>): Promise<Running> {
  const core = new ScriptedCore();
  const address = await core.start();
  const client = clients.notify(address);
  const loop = new LeaseLoop({
    cores: { client, leaveCore: () => {}, close: () => client.close() },
    metadata: new Metadata(),
    send: ({ leaseId }) => send(Number(leaseId)),
    onSent: () => {},
    log: pino({ level: 'silent' }),
  });
  t.after(async () => {
    await loop.close(0);
    core.stop();
  });
  return { core, loop };
}

test('the notifier sends and reports each leased webhook delivery exactly once', async t => {
  const sent: number[] = [];
  const { core } = await start(t, async leaseId => {
    sent.push(leaseId);
    return { ...SENT, notSent: leaseId === 2 };
  });
  await core.lease(1, 2);
  await core.lease(3);
  assert.deepEqual(await core.reported(3), [1, 2, 3]);
  assert.deepEqual(sent, [1, 2, 3]);
  assert.deepEqual(
    core.reports.filter(({ notSent }) => notSent).map(({ leaseId }) => Number(leaseId)),
    [2],
  );
});

test('the first request of the notifier for webhook deliveries asks the core for an immediate answer', async t => {
  const { core, loop } = await start(t, async () => SENT);
  assert.equal(loop.connected, false);
  await core.lease();
  if (core.waiting.length === 0) await once(core, 'waiting');
  assert.equal(loop.connected, true);
  assert.deepEqual(core.waits, [0, 20_000]);
});

test('a slow webhook delivery does not delay the other deliveries of a notifier', async t => {
  let finish: (result: SentDelivery) => void = () => {};
  const { core } = await start(t, leaseId =>
    leaseId === 1 ? new Promise(resolve => (finish = resolve)) : Promise.resolve(SENT),
  );
  await core.lease(1);
  await core.lease(2);
  assert.deepEqual(await core.reported(1), [2]);
  finish(SENT);
  assert.deepEqual(await core.reported(2), [1, 2]);
});

test('the notifier leases no more webhook deliveries than it can send at the same time', async t => {
  const finish: ((result: SentDelivery) => void)[] = [];
  const { core, loop } = await start(t, () => new Promise(resolve => finish.push(resolve)));
  await core.lease(...Array.from({ length: 100 }, (_, i) => i));
  await core.lease(...Array.from({ length: 70 }, (_, i) => 100 + i));
  if (core.waiting.length === 0) await once(core, 'waiting');
  assert.deepEqual(core.asked, [100, 100, 30]);
  assert.equal(loop.inFlight, 170);
  for (const end of finish) end(SENT);
  await core.reported(170);
});

test('the notifier reports the result of a webhook delivery again if the report failed', async t => {
  const { core } = await start(t, async () => SENT);
  core.failReports = 1;
  await core.lease(7);
  assert.deepEqual(await core.reported(1), [7]);
});

test('a stopping notifier waits for the webhook deliveries in flight, and leases no further deliveries', async t => {
  let finish: (result: SentDelivery) => void = () => {};
  const { core, loop } = await start(t, () => new Promise(resolve => (finish = resolve)));
  await core.lease(1);
  if (core.waiting.length === 0) await once(core, 'waiting');
  const closed = loop.close(60_000);
  finish(SENT);
  await closed;
  assert.deepEqual(await core.reported(1), [1]);
  assert.equal(core.asked.length, 2);
});

test('if a core dies, the notifier leases webhook deliveries from the next core, and reports their results to this core', async t => {
  const [dying, next] = [new ScriptedCore(), new ScriptedCore()];
  const addresses = [await dying.start(), await next.start()];
  const loop = new LeaseLoop({
    cores: new MemberCores({ addresses, watch: () => () => {} }, address => clients.notify(address)),
    metadata: new Metadata(),
    send: async () => SENT,
    onSent: () => {},
    log: pino({ level: 'silent' }),
  });
  t.after(async () => {
    await loop.close(0);
    next.stop();
  });
  await dying.lease(1);
  await dying.reported(1);
  if (dying.waiting.length === 0) await once(dying, 'waiting');
  dying.stop();
  await next.lease(2);
  assert.deepEqual(await next.reported(1), [2]);
  assert.equal(loop.connected, true);
});
