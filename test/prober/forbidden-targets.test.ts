/**
 * Tests that no packet reaches a forbidden target. The core must refuse such a target. The prober must not probe it
 * either, even if a hostile core orders a probe.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { Probes } from '../../prober/probes/probes.ts';
import { type NamedTarget, resolveTarget } from '../../prober/target.ts';
import type { NameServer, Records } from '../system/name-server.ts';
import { fastClock } from './clock.ts';
import { Ears } from './ears.ts';
import { forbiddenHosts } from './forbidden-hosts.ts';
import { forbiddenAddresses } from './forbidden-ranges.ts';
import { PacketWatch } from './packet-watch.ts';
import { LOOPBACK, opened, refusal, startNameServer, WAYS } from './watched-targets.ts';

const closed = new TargetPolicy([]);

let ears: Ears;
let dns: NameServer;
let watch: PacketWatch;
let probes: Probes;
const clock = fastClock();
/**
 * Time on the clock of the DNS resolvers, in ms. The resolvers cache answers, so tests advance this time to get new
 * answers.
 */
let time = 0;
let tried = 0;

before(async () => {
  ears = await Ears.open();
  dns = await startNameServer();
  watch = new PacketWatch(Number(dns.address.split(':')[1]));
  probes = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024, wheel: clock.wheel });
});

after(async () => {
  await probes.close();
  clock.stop();
  watch.stop();
  dns.stop();
  ears.close();
});

const resolver = (): Resolver => new Resolver([dns.address], () => time);

/**
 * Tries to probe a server with each kind of query (UDP, TCP, gamedig). Returns the outcomes of the probes that passed
 * the target check.
 */
async function begun(
  lease: { host: string; port: number; queryPorts?: number[] },
  policy: TargetPolicy,
  names: Resolver,
): Promise<string[]> {
  const outcomes: string[] = [];
  for (const way of WAYS) {
    const named: NamedTarget = { queryPorts: [lease.port], confirm: false, ...way, ...lease };
    const target = await resolveTarget(named, policy, names);
    if (!('outcome' in target)) outcomes.push((await probes.probe(target)).outcome);
  }
  return outcomes;
}

/** Checks that a fetch refuses a forbidden target, and that the prober sends nothing to it. */
async function forbidden(
  host: string,
  port: number,
  { policy = closed, atInsert = resolver(), atProbe = resolver(), queryPorts = [port] } = {},
): Promise<void> {
  tried++;
  const shown = JSON.stringify(`${host}:${port}`);
  assert.notEqual(await refusal(`${host}:${port}`, policy, atInsert), undefined, `${shown} is inserted`);
  await neverProbed(host, port, { policy, atProbe, queryPorts });
}

async function neverProbed(
  host: string,
  port: number,
  { policy = closed, atProbe = resolver(), queryPorts = [port] } = {},
): Promise<void> {
  const shown = JSON.stringify(`${host}:${port}`);
  // Tests an IPv6 host with and without brackets. A correct core removes the brackets, but a hostile core can send
  // them to the prober.
  for (const each of new Set([host, host.replace(/^\[(.*)\]$/s, '$1')])) {
    assert.deepEqual(
      await begun({ host: each, port, queryPorts }, policy, atProbe),
      [],
      `${shown} is probed`,
    );
  }
  assert.deepEqual(watch.sent, [], `something was sent for ${shown}`);
}

/** Sets the records of host names in the fake DNS server. They stay until a later test changes them. */
function tell(names: Record<string, Records>): void {
  for (const [name, records] of Object.entries(names)) dns.names.set(name, records);
}

describe('the prober', () => {
  test('sends nothing to an address of a special-purpose range, in any notation', async () => {
    const [atInsert, atProbe] = [resolver(), resolver()];
    for (const host of forbiddenHosts) await forbidden(host, ears.port, { atInsert, atProbe });
  });

  test('sends nothing to a host name that resolves to a forbidden address', async () => {
    for (const name of ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'inside.example.com']) {
      await forbidden(name, ears.port);
    }
    for (const [i, ip] of forbiddenAddresses.entries()) {
      tell({ [`n${i}.example.com`]: ip.includes(':') ? { aaaa: [ip] } : { a: [ip] } });
      await forbidden(`n${i}.example.com`, ears.port);
    }
    tell({ 'all.example.com': { a: ['127.0.0.1', '10.0.0.1'], aaaa: ['::1', '::ffff:7f00:1', 'fe80::1'] } });
    await forbidden('all.example.com', ears.port);
  });

  test('sends nothing to a well-known port of another service, even if the address is allowed', async () => {
    const wellKnown = [0, 1, 7, 19, 21, 22, 23, 25, 53, 69, 80, 110, 111, 123, 135, 137, 143, 161, 389, 443];
    const others = [
      445, 514, 587, 631, 873, 1023, 1433, 1900, 2049, 2375, 3306, 3389, 5060, 5353, 5432, 5900,
    ];
    const late = [6379, 6443, 9042, 9092, 9200, 10250, 11211, 37810, 65_536, 70_000, 4_294_967_295];
    for (const port of [...wellKnown, ...others, ...late]) {
      await forbidden('127.0.0.1', port, { policy: opened });
      await forbidden('inside.example.com', port, { policy: opened });
    }
    tried++;
    assert.equal(await refusal('127.0.0.1:022', opened, resolver()), 'blocked_address', 'a leading zero');
    for (const text of ['-1', '+22', '0x16', '22.0', ' 22', '22 ', '\uff12\uff12', '']) {
      tried++;
      assert.equal(await refusal(`127.0.0.1:${text}`, opened, resolver()), 'malformed_address', text);
    }
    // The query port 6379 is forbidden, although the port that players join, 6378 in this test, is allowed.
    await neverProbed('127.0.0.1', 6378, { policy: opened, queryPorts: [6379] });
  });

  test("sends nothing to an address of this machine's own network interfaces", async () => {
    const policy = new TargetPolicy([], { interfaces: ['1.2.3.4', '2600::4'] });
    tell({ 'self.example.com': { a: ['1.2.3.4'], aaaa: ['2600::4'] } });
    for (const host of ['1.2.3.4', '[2600::4]', '[::ffff:1.2.3.4]', 'self.example.com']) {
      await forbidden(host, ears.port, { policy });
    }
  });

  test('sends nothing to a target that the operator denies, even if the target is public or explicitly allowed', async () => {
    const denied = ['127.0.0.0/8', '::1', '1.2.3.0/24', '2600:5::/32'];
    const policy = new TargetPolicy([...LOOPBACK, '1.2.3.4'], { denied });
    tell({ 'asked-us.example.com': { a: ['1.2.3.9'], aaaa: ['2600:5::1'] } });
    for (const host of ['127.0.0.1', '[::1]', '1.2.3.4', '1.2.3.255', '[::ffff:1.2.3.4]', '[2600:5::9]']) {
      await forbidden(host, ears.port, { policy });
    }
    for (const name of ['asked-us.example.com', 'localhost']) await forbidden(name, ears.port, { policy });
  });

  test('sends nothing to an internal IPv4 address in IPv6 notation, even if IPv6 is allowed', async () => {
    tell({ 'mapped.example.com': { a: [], aaaa: ['::ffff:7f00:1'] } });
    const policy = new TargetPolicy(['::/0']);
    await forbidden('[::ffff:127.0.0.1]', ears.port, { policy });
    await forbidden('mapped.example.com', ears.port, { policy });
  });

  test('sends nothing to a tracked host name whose address changes from a public to a forbidden one', async () => {
    const inside = [...new Set(forbiddenAddresses)];
    const atProbe = resolver();
    const name = 'turning.example.com';
    for (const ip of inside) {
      tell({ [name]: { a: ['1.2.3.4'] } });
      assert.equal(await refusal(`${name}:${ears.port}`, closed, resolver()), undefined);
      tell({ [name]: ip.includes(':') ? { a: [], aaaa: [ip] } : { a: [ip] } });
      time += 3_600_000;
      tried++;
      await neverProbed(name, ears.port, { atProbe });
    }
    assert.equal(await refusal(`${name}:${ears.port}`, closed, resolver()), 'blocked_address');
  });

  test('does not follow a Minecraft SRV record to an internal address or to the port of another service', async () => {
    const srv = (target: string, port = ears.port) => ({
      srv: [{ priority: 1, weight: 1, port, target }],
    });
    const inward = [
      ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', 'localhost', 'inside.example.com'].map(host =>
        srv(host),
      ),
      ...forbiddenAddresses.filter(ip => !ip.includes(':')).map(ip => srv(ip)),
      ...[22, 25, 80, 6379, 11211].map(port => srv('public.example.com', port)),
    ];
    tell({ 'public.example.com': { a: ['1.2.3.4'] } });
    for (const [i, records] of inward.entries()) {
      // In this test, the address of the host name itself is public. Only the SRV record of the name leads to a
      // forbidden target.
      const name = `play${i}.example.com`;
      tell({ [name]: { a: ['1.2.3.4'] }, [`_minecraft._tcp.${name}`]: records });
      tried++;
      const [, minecraft] = WAYS;
      assert.ok(minecraft);
      const lease = { host: name, port: 25565, queryPorts: [25565], confirm: false, ...minecraft };
      const target = await resolveTarget(lease, closed, resolver());
      assert.ok('outcome' in target, `${JSON.stringify(records)} is probed`);
      assert.deepEqual(watch.sent, []);
    }
  });

  test('sends no packet during the tests of this file, which try at least 200 forbidden targets', async () => {
    assert.ok(tried >= 200, `${tried} targets`);
    assert.deepEqual([watch.sent, probes.packetsSent], [[], 0]);
    watch.stop();
    assert.deepEqual(await ears.all(), []);
  });
});
