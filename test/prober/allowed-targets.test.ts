/**
 * Checks that the tests in forbidden-targets.test.ts can detect packets: the same test code must detect packets to
 * allowed targets.
 */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { Probes } from '../../prober/probes/probes.ts';
import { resolveTarget } from '../../prober/target.ts';
import { hostPort } from '../../runtime/endpoint.ts';
import type { NameServer, Records } from '../system/name-server.ts';
import { fastClock } from './clock.ts';
import { Ears } from './ears.ts';
import { PacketWatch } from './packet-watch.ts';
import { opened, refusal, startNameServer, WAYS } from './watched-targets.ts';

let dns: NameServer;
let probes: Probes;
const clock = fastClock();

before(async () => {
  dns = await startNameServer();
  probes = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024, wheel: clock.wheel });
});

after(async () => {
  await probes.close();
  clock.stop();
  dns.stop();
});

const resolver = (): Resolver => new Resolver([dns.address], () => 0);

/** Sets the records of host names in the fake DNS server. They stay until a later test changes them. */
function tell(names: Record<string, Records>): void {
  for (const [name, records] of Object.entries(names)) dns.names.set(name, records);
}

describe("the prober's packets to allowed targets", () => {
  /** Resolves the host to a target that the prober can query. Fails if the target is forbidden. */
  async function openTarget(host: string, port: number, way = WAYS[0]) {
    assert.ok(way);
    const lease = { host, port, queryPorts: [port], confirm: false, ...way };
    const target = await resolveTarget(lease, opened, resolver());
    assert.ok(!('outcome' in target), JSON.stringify(target));
    return target;
  }

  async function listening(t: TestContext) {
    const control = await Ears.open();
    const seen = new PacketWatch(Number(dns.address.split(':')[1]));
    t.after(() => {
      seen.stop();
      control.close();
    });
    return { control, seen, port: control.port };
  }

  test('are recorded by PacketWatch (the packet recorder of these tests)', async t => {
    const { control, seen, port } = await listening(t);
    for (const address of control.addresses) {
      assert.equal(await refusal(hostPort(address, port), opened, resolver()), undefined);
      for (const way of WAYS.slice(0, 2)) await probes.probe(await openTarget(address, port, way));
      await control.hears(`udp ${address}`);
      await control.hears(`tcp ${address}`);
      assert.ok(seen.sent.filter(to => to === `${address}:${port}`).length >= 2, `${seen.sent}`);
    }
    assert.ok(probes.packetsSent > 0);
  });

  test('go only to the checked address, even if the host name resolves differently later', async t => {
    const { seen, port } = await listening(t);
    for (const way of WAYS.slice(0, 2)) {
      tell({ 'once.example.com': { a: ['127.0.0.1'] } });
      const target = await openTarget('once.example.com', port, way);
      tell({ 'once.example.com': { a: ['10.0.0.1'] } });
      const { length } = dns.questions;
      await probes.probe(target);
      assert.equal(dns.questions.length, length);
    }
    // Ignores late packets of earlier tests, which go to other ports.
    const sent = seen.sent.filter(to => to.endsWith(`:${port}`));
    assert.deepEqual([...new Set(sent)], [`127.0.0.1:${port}`]);
  });

  test('arrive if the library gamedig queries a host name', async t => {
    const { control, port } = await listening(t);
    const inTime = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024 });
    t.after(() => inTime.close());
    const target = await openTarget('inside.example.com', port, WAYS[2]);
    const over = inTime.probe(target).then(result => assert.fail(JSON.stringify(result)));
    await Promise.race([control.hears('udp 127.0.0.1'), over]);
  });
});
