import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { pino } from 'pino';
import { insecure } from '../../../proto/clients.ts';
import { Members } from '../../../proto/cluster/members.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { StallingProxy } from '../../gateway/stalling-proxy.ts';
import { AnnouncedMembers } from './announced-members.ts';

const TIMES = { firstListMs: 60_000, minBackoffMs: 1, maxBackoffMs: 10, refusedMs: 10 };

/**
 * Starts a fake core whose only method is WatchMembers. If `members` is undefined, the fake core has no methods at all.
 */
async function startCore(t: TestContext, members?: AnnouncedMembers, port = 0) {
  const server = new Server();
  if (members) server.addService(gsqV1.ClusterService.service, { ...members.handlers });
  else server.addService(gsqV1.GameService.service, {});
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, found) =>
      error ? reject(error) : resolve(found),
    );
  });
  t.after(() => server.forceShutdown());
  return { address: `127.0.0.1:${bound}`, port: bound, stop: () => server.forceShutdown() };
}

/** Keeps the log lines of `Members` (the list of the cores in a cluster). Emits the event `line` for each log line. */
class Log extends EventEmitter {
  text = '';

  write(line: string): void {
    this.text += line;
    this.emit('line');
  }
}

/**
 * Creates `Members` (the list of the cores in a cluster). `until` waits until this list has exactly the given
 * addresses.
 */
function membersAt(t: TestContext, address: string, times: Partial<typeof TIMES> = {}) {
  const log = new Log();
  const members = new Members({
    address,
    secret: 'between us',
    security: () => insecure,
    log: pino({ level: 'debug' }, log),
    times: { ...TIMES, ...times },
  });
  t.after(() => members.close());
  const changed = new EventTarget();
  members.watch(() => changed.dispatchEvent(new Event('change')));
  const until = async (...addresses: string[]): Promise<void> => {
    while (members.addresses.join() !== [...addresses].sort().join()) await once(changed, 'change');
  };
  return { members, until, log };
}

test('the list of cores contains only the configured address until a core announces other addresses', async t => {
  const asked = new EventEmitter();
  const announced = new AnnouncedMembers([], () => asked.emit('open'));
  const core = await startCore(t, announced);
  const { members, until } = membersAt(t, core.address);
  assert.deepEqual(members.addresses, [core.address]);
  await once(asked, 'open');
  assert.deepEqual(members.addresses, [core.address]);
  announced.announce(['127.0.0.1:2', '127.0.0.1:1', '127.0.0.1:2']);
  await until('127.0.0.1:1', '127.0.0.1:2');
  announced.announce(['127.0.0.1:3']);
  await until('127.0.0.1:3');
  announced.announce([]);
  await until(core.address);
});

test('if the core that sends the list of cores dies, the client asks the next core of the list', async t => {
  const second = new AnnouncedMembers();
  const other = await startCore(t, second);
  const first = new AnnouncedMembers([other.address, '127.0.0.1:1']);
  const core = await startCore(t, first);
  const { until } = membersAt(t, core.address);
  await until('127.0.0.1:1', other.address);
  second.announce([other.address]);
  core.stop();
  await until(other.address);
  assert.equal(second.opened, 1);
});

test('if keepalive pings to a frozen core get no answer, the client asks another core for the list of cores', async t => {
  const second = new AnnouncedMembers();
  const other = await startCore(t, second);
  const first = new AnnouncedMembers([other.address]);
  const core = await startCore(t, first);
  const proxy = await StallingProxy.start(core.address);
  t.after(() => proxy.stop());
  const { until } = membersAt(t, proxy.address);
  await until(other.address);
  second.announce(['127.0.0.1:4']);
  proxy.stall();
  await until('127.0.0.1:4');
});

test('if a core accepts the request for the list of cores but sends no list in time, the client asks again', async t => {
  const asked = new EventEmitter();
  const silent = new AnnouncedMembers([], () => asked.emit('open'));
  silent.answers = false;
  const core = await startCore(t, silent);
  const { until } = membersAt(t, core.address, { firstListMs: 100 });
  while (silent.opened < 2) await once(asked, 'open');
  silent.answers = true;
  silent.announce(['127.0.0.1:5']);
  await until('127.0.0.1:5');
});

test('if a core is too old to send a list of cores, the client uses only this core until the core is upgraded', async t => {
  const old = await startCore(t);
  const { members, until, log } = membersAt(t, old.address);
  while (!log.text.includes('UNIMPLEMENTED')) await once(log, 'line');
  old.stop();
  const announced = new AnnouncedMembers(['127.0.0.1:6']);
  assert.deepEqual(members.addresses, [old.address]);
  await startCore(t, announced, old.port);
  await until('127.0.0.1:6');
});

test('if a core restarts as an old version that sends no list of cores, the client uses its configured address again', async t => {
  const announced = new AnnouncedMembers(['127.0.0.1:7']);
  const core = await startCore(t, announced);
  const { until } = membersAt(t, core.address);
  await until('127.0.0.1:7');
  core.stop();
  await startCore(t, undefined, core.port);
  await until(core.address);
});

test('after Members (the list of cores) is closed, a new list from a core changes nothing', async t => {
  const announced = new AnnouncedMembers(['127.0.0.1:8']);
  const core = await startCore(t, announced);
  const { members, until } = membersAt(t, core.address);
  await until('127.0.0.1:8');
  await members.close();
  announced.announce(['127.0.0.1:9']);
  assert.deepEqual(members.addresses, ['127.0.0.1:8']);
});
