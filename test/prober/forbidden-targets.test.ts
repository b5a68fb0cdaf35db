/**
 * Sends forbidden targets down the whole path. First the check of a fetch judges each one; then, whatever the
 * check said, it is leased to a prober, as a hostile core would do. The test looks at packets, not at
 * answers: nothing may be sent.
 */
import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { checkAddress, checkName } from '../../core/servers/pair-check.ts';
import { Resolver } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { Probes } from '../../prober/probes/probes.ts';
import { type NamedTarget, resolveTarget } from '../../prober/target.ts';
import { hostPort } from '../../runtime/endpoint.ts';
import { NameServer, type Records } from '../system/name-server.ts';
import { fastClock } from './clock.ts';
import { Ears } from './ears.ts';
import { forbiddenAddresses, forbiddenHosts } from './forbidden-hosts.ts';
import { PacketWatch } from './packet-watch.ts';

/**
 * The prober's three ways of asking: UDP, TCP, and gamedig in its thread. Only the listeners can see the
 * packets of gamedig's thread.
 */
const WAYS = [
  { protocol: 'a2s', gamedigId: 'counterstrike2' },
  { protocol: 'minecraft', gamedigId: 'minecraft' },
  { protocol: 'savage2', gamedigId: 's2ats' },
];
const LOOPBACK = ['127.0.0.0/8', '::1'];
const closed = new TargetPolicy([]);
const opened = new TargetPolicy(LOOPBACK);

let ears: Ears;
let dns: NameServer;
let watch: PacketWatch;
let probes: Probes;
const clock = fastClock();
/** The clock of the resolvers, which cache answers for a minute. */
let time = 0;
let tried = 0;

before(async () => {
  ears = await Ears.open();
  dns = await NameServer.start({});
  // Answers every name with an internal address.
  const told = dns.names.get.bind(dns.names);
  dns.names.get = name => told(name) ?? { a: ['127.0.0.1'], aaaa: ['::1'] };
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

/** The refusal of a fetch for an unknown address; undefined if it would be inserted. */
async function refusal(text: string, policy: TargetPolicy, names: Resolver): Promise<string | undefined> {
  const address = checkAddress(text, policy);
  if ('reason' in address) return address.reason;
  return address.kind === 'name' ? (await checkName(address.host, policy, names))?.reason : undefined;
}

/** Runs a lease in every way of asking. Returns the outcomes of the probes that began. */
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

/** Sends a forbidden target down the whole path. */
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
  // A core removes the brackets; a hostile core may leave them.
  for (const each of new Set([host, host.replace(/^\[(.*)\]$/s, '$1')])) {
    assert.deepEqual(
      await begun({ host: each, port, queryPorts }, policy, atProbe),
      [],
      `${shown} is probed`,
    );
  }
  assert.deepEqual(watch.sent, [], `something was sent for ${shown}`);
}

/** Sets DNS records until another test changes them. */
function tell(names: Record<string, Records>): void {
  for (const [name, records] of Object.entries(names)) dns.names.set(name, records);
}

describe('the prober sends nothing', () => {
  test('to special-purpose ranges, however their addresses are written', async () => {
    const [atInsert, atProbe] = [resolver(), resolver()];
    for (const host of forbiddenHosts) await forbidden(host, ears.port, { atInsert, atProbe });
  });

  test('to names that resolve to forbidden addresses', async () => {
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

  test('to ports of other services, even at allowed addresses', async () => {
    const wellKnown = [0, 1, 7, 19, 21, 22, 23, 25, 53, 69, 80, 110, 111, 123, 135, 137, 143, 161, 389, 443];
    const others = [
      445, 514, 587, 631, 873, 1023, 1433, 1900, 2049, 2375, 3306, 3389, 5060, 5353, 5432, 5900,
    ];
    const late = [6379, 6443, 9042, 9092, 9200, 10250, 11211, 37810, 65_536, 70_000, 4_294_967_295];
    for (const port of [...wellKnown, ...others, ...late]) {
      await forbidden('127.0.0.1', port, { policy: opened });
      await forbidden('inside.example.com', port, { policy: opened });
    }
    for (const text of ['-1', '+22', '022', '0x16', '22.0', ' 22', '22 ', '\uff12\uff12', '']) {
      tried++;
      assert.equal(await refusal(`127.0.0.1:${text}`, opened, resolver()), 'malformed_address', text);
    }
    // A port offset of the catalog may lead to such a port too.
    await neverProbed('127.0.0.1', 6378, { policy: opened, queryPorts: [6379] });
  });

  test("to addresses of the machine's own interfaces", async () => {
    const policy = new TargetPolicy([], { interfaces: ['1.2.3.4', '2600::4'] });
    tell({ 'self.example.com': { a: ['1.2.3.4'], aaaa: ['2600::4'] } });
    for (const host of ['1.2.3.4', '[2600::4]', '[::ffff:1.2.3.4]', 'self.example.com']) {
      await forbidden(host, ears.port, { policy });
    }
  });

  test('to targets that the operator denies, public or allowed', async () => {
    const denied = ['127.0.0.0/8', '::1', '1.2.3.0/24', '2600:5::/32'];
    const policy = new TargetPolicy([...LOOPBACK, '1.2.3.4'], { denied });
    tell({ 'asked-us.example.com': { a: ['1.2.3.9'], aaaa: ['2600:5::1'] } });
    for (const host of ['127.0.0.1', '[::1]', '1.2.3.4', '1.2.3.255', '[::ffff:1.2.3.4]', '[2600:5::9]']) {
      await forbidden(host, ears.port, { policy });
    }
    for (const name of ['asked-us.example.com', 'localhost']) await forbidden(name, ears.port, { policy });
  });

  test('to IPv4 addresses written as IPv6, even if all of IPv6 is allowed', async () => {
    tell({ 'mapped.example.com': { a: [], aaaa: ['::ffff:7f00:1'] } });
    const policy = new TargetPolicy(['::/0']);
    await forbidden('[::ffff:127.0.0.1]', ears.port, { policy });
    await forbidden('mapped.example.com', ears.port, { policy });
  });

  test('to names that were public only when they were inserted', async () => {
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

  test("to hosts behind Minecraft's SRV records with an internal address or a port of another service", async () => {
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
      // The name's own address is public; only its SRV record leads to an internal one.
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

  test('to any of the targets above: no socket was used, no counter grew, no listener received anything', async () => {
    assert.ok(tried >= 200, `${tried} targets`);
    assert.deepEqual([watch.sent, probes.packetsSent], [[], 0]);
    watch.stop();
    assert.deepEqual(await ears.all(), []);
  });
});

describe('the test would notice packets to allowed targets', () => {
  /** A lease of an allowed target, ready to be probed. */
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

  test('sent by UDP and by TCP, at each address', async t => {
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

  test('sent to the address that was checked: names are not resolved again', async t => {
    const { seen, port } = await listening(t);
    for (const way of WAYS.slice(0, 2)) {
      tell({ 'once.example.com': { a: ['127.0.0.1'] } });
      const target = await openTarget('once.example.com', port, way);
      tell({ 'once.example.com': { a: ['10.0.0.1'] } });
      const { length } = dns.questions;
      await probes.probe(target);
      assert.equal(dns.questions.length, length);
    }
    assert.deepEqual([...new Set(seen.sent)], [`127.0.0.1:${port}`]);
  });

  test('sent by gamedig, through a name', async t => {
    const { control, port } = await listening(t);
    const inTime = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024 });
    t.after(() => inTime.close());
    const target = await openTarget('inside.example.com', port, WAYS[2]);
    const over = inTime.probe(target).then(result => assert.fail(JSON.stringify(result)));
    await Promise.race([control.hears('udp 127.0.0.1'), over]);
  });
});
