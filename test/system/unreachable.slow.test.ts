/**
 * Tests how the prober treats ICMP messages of a router and errors of local routes. A virtual cable connects the
 * network namespace of the prober with a second one, which acts as the router. Requires Linux and root.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Probes } from '../../prober/probes/probes.ts';
import { openLinux } from '../../prober/transport/linux.ts';
import { endpointAt } from '../prober/endpoint-at.ts';
import { isAwake, openBatched } from '../prober/transport/open-batched.ts';
import { enterOwnNetwork, ip } from './network-namespace.ts';
import { until } from './until.ts';

const PORT = 27_015;
const [NEAR, FAR] = ['gsqnear', 'gsqfar'];
const [NEAR_V4, FAR_V4, NEAR_V6, FAR_V6] = ['100.64.0.1', '100.64.0.2', 'fd00:64::1', 'fd00:64::2'];
/** A test network. The route to this network uses an interface with a small maximum packet size (MTU). */
const NARROW = { network: '198.18.90.0/24', address: '198.18.90.9', mtu: 600 };

const LOST = [1, 0];
const REJECTED = [1, 1];
const UNSENT = [0, 0];

/**
 * A test network, an address in it, and the expected result of a probe of this address. `signals` is a list of two
 * numbers: lost packets, then rejected packets.
 */
interface Fate {
  network: string;
  address: string;
  ends: readonly [outcome: string, detail: string, signals: number[]];
}

const REFUSED = 'PROBE_OUTCOME_REFUSED';
const NO_REPLY = ['PROBE_OUTCOME_NO_REPLY', 'no reply', LOST] as const;
const fault = (code: string) => ['PROBE_OUTCOME_PROBER_FAULT', `cannot send: ${code}`, UNSENT] as const;
const v4 = (n: number, ends: Fate['ends']): Fate => ({
  network: `198.18.${n}.0/24`,
  address: `198.18.${n}.9`,
  ends,
});
const v6 = (n: number, ends: Fate['ends']): Fate => ({
  network: `fd00:${n}::/32`,
  address: `fd00:${n}::9`,
  ends,
});

/**
 * Test networks behind the router, keyed by the type of the router's route to them. With the key `nothing`, the router
 * has no route.
 */
const atTheRouter: Record<string, Fate[]> = {
  unreachable: [v4(1, [REFUSED, 'EHOSTUNREACH', REJECTED]), v6(1, [REFUSED, 'ENETUNREACH', REJECTED])],
  prohibit: [v4(2, [REFUSED, 'EHOSTUNREACH', REJECTED]), v6(2, [REFUSED, 'EACCES', REJECTED])],
  blackhole: [v4(3, NO_REPLY), v6(3, NO_REPLY)],
  nothing: [v4(4, [REFUSED, 'ENETUNREACH', REJECTED]), v6(4, [REFUSED, 'ENETUNREACH', REJECTED])],
  local: [v4(5, [REFUSED, 'ECONNREFUSED', REJECTED]), v6(5, [REFUSED, 'ECONNREFUSED', REJECTED])],
};
/** Test networks to which this machine has a special route, keyed by the type of the route, for example `blackhole`. */
const atHome: Record<string, Fate[]> = {
  unreachable: [v4(6, fault('EHOSTUNREACH')), v6(6, fault('EHOSTUNREACH'))],
  prohibit: [v4(7, fault('EACCES')), v6(7, fault('EACCES'))],
  blackhole: [v4(8, fault('EINVAL')), v6(8, fault('EINVAL'))],
};

let router: ChildProcess;
const probes: Probes[] = [];

const run = promisify(execFile);
const inRouter = (words: string) => run('nsenter', [`--net=/proc/${router.pid}/ns/net`, ...words.split(' ')]);
const set = (where: (words: string) => Promise<unknown>, setting: string) => where(`sysctl -q -w ${setting}`);
const here = (words: string) => {
  const [program = '', ...rest] = words.split(' ');
  return run(program, rest);
};
/** Returns an ICMP counter of this network namespace, from /proc/net/snmp. */
async function heardByIcmp(name: string): Promise<number> {
  const lines = (await readFile('/proc/net/snmp', 'utf8'))
    .split('\n')
    .filter(line => line.startsWith('Icmp:'));
  const [names = [], numbers = []] = lines.map(line => line.split(' '));
  return Number(numbers[names.indexOf(name)]);
}
const familyOf = (address: string): string => (address.includes(':') ? '-6 ' : '');

before(async () => {
  await enterOwnNetwork();
  router = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] });
  // `unshare` creates the network namespace of the router, and starts `cat` in it. When `cat` has sent back the line
  // `here`, the namespace exists.
  router.stdin?.write('here\n');
  if (router.stdout) await once(router.stdout, 'data');
  await ip(`link add ${NEAR} type veth peer name ${FAR} netns ${router.pid}`);
  await ip(`addr add ${NEAR_V4}/30 dev ${NEAR}`);
  await ip(`addr add ${NEAR_V6}/64 dev ${NEAR} nodad`);
  await ip(`link set ${NEAR} up`);
  for (const words of [
    'link set lo up',
    `addr add ${FAR_V4}/30 dev ${FAR}`,
    `addr add ${FAR_V6}/64 dev ${FAR} nodad`,
    `link set ${FAR} up`,
    `link add narrow mtu ${NARROW.mtu} type veth peer name narrower mtu ${NARROW.mtu}`,
    'link set narrow up',
    'link set narrower up',
    `route add ${NARROW.network} dev narrow`,
  ]) {
    await inRouter(`ip ${words}`);
  }
  for (const setting of [
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    // Switches off the rate limits of Linux for ICMP messages, because the tests need every ICMP message of the router.
    // For IPv4, `icmp_ratemask=0` exempts all types of messages from the limit. `icmp_ratelimit=0` is not suitable: it
    // can empty a token bucket that Linux also uses to limit route errors.
    'net.ipv4.icmp_ratemask=0',
    'net.ipv6.icmp.ratelimit=0',
  ]) {
    await set(inRouter, setting);
  }
  await ip(`route add default via ${FAR_V4}`);
  await ip(`-6 route add default via ${FAR_V6}`);
  for (const [kind, fates] of Object.entries(atTheRouter)) {
    for (const { network, address } of kind === 'nothing' ? [] : fates) {
      const dev = kind === 'local' ? ' dev lo' : '';
      await inRouter(`ip ${familyOf(address)}route add ${kind} ${network}${dev}`);
    }
  }
  for (const [kind, fates] of Object.entries(atHome)) {
    for (const { network, address } of fates) await ip(`${familyOf(address)}route add ${kind} ${network}`);
  }
});

after(async () => {
  await Promise.all(probes.map(each => each.close()));
  router?.stdin?.end();
});

async function prober() {
  const warnings: string[] = [];
  const opened = await Probes.open({ receiveBuffer: 64 * 1024, warn: text => warnings.push(text) });
  probes.push(opened);
  const ends = async (address: string) => {
    const { signals, ...result } = await opened.probe({
      address,
      host: address,
      ports: [PORT],
      joinPort: PORT,
      protocol: 'a2s',
      gamedigId: 'csgo',
      confirm: false,
    });
    assert.ok('detail' in result, JSON.stringify(result));
    return [result.outcome, result.detail, [signals.packetsLost, signals.packetsRejected]];
  };
  return { opened, ends, warnings: () => warnings.filter(text => !text.includes('receive buffers')) };
}

test('the outcome of a probe is `refused` if a router rejects the packet, `prober_fault` if this machine rejects it, and `no_reply` if it is lost', async () => {
  const { opened, ends, warnings } = await prober();
  const fates = [...Object.values(atTheRouter), ...Object.values(atHome)].flat();
  const found = await Promise.all(fates.map(async ({ address }) => [address, await ends(address)]));
  assert.deepEqual(
    found,
    fates.map(({ address, ends: expected }) => [address, expected]),
  );
  assert.deepEqual([opened.strayDatagrams, warnings()], [0, []]);
});

test('a packet whose time-to-live expires on the way counts as a lost packet', async () => {
  const { ends, warnings } = await prober();
  const before = await heardByIcmp('InTimeExcds');
  await set(here, 'net.ipv4.ip_default_ttl=1');
  try {
    assert.deepEqual(await ends(NARROW.address), NO_REPLY);
  } finally {
    await set(here, 'net.ipv4.ip_default_ttl=64');
  }
  assert.equal((await heardByIcmp('InTimeExcds')) - before, 1);
  assert.deepEqual(warnings(), []);
});

/** Opens the UDP socket of the prober for Linux. It receives ICMP messages through the error queue of the kernel. */
async function socket() {
  const system = await openLinux();
  assert.ok(system);
  const opened = await openBatched(system, 'udp4');
  const { rejected, warnings, fd } = opened;
  let rejects = 0;
  /**
   * Waits until the socket has received the ICMP messages about all earlier packets. For this purpose, sends one more
   * packet, to a closed port. The ICMP message about this packet arrives last, so this function waits for it.
   */
  const settled = async () => {
    opened.socket.send(Buffer.from('?'), endpointAt('198.18.5.9', PORT));
    const all = Array(++rejects).fill(`198.18.5.9 ${PORT} ECONNREFUSED`);
    await until(
      'the reject behind it',
      () => rejected,
      ({ length }) => length >= rejects,
    );
    assert.deepEqual([rejected, warnings], [all, []]);
    await until(
      'an empty error queue',
      () => isAwake(fd),
      awake => !awake,
    );
  };
  return { ...opened, settled };
}

test('a packet larger than the path MTU does not count as rejected, and the next packet is still sent', async () => {
  const { socket: sending, unsent, settled } = await socket();
  const before = await heardByIcmp('InDestUnreachs');
  // Sends three packets without a pause. An ICMP message about one packet must not prevent the socket from sending the
  // next.
  for (const length of [1000, 1200]) {
    for (let n = 0; n < 3; n++) sending.send(Buffer.alloc(length), endpointAt(NARROW.address, PORT));
    await settled();
  }
  assert.equal((await heardByIcmp('InDestUnreachs')) - before, 8);
  assert.deepEqual(unsent, []);
  await sending.close();
});

test('a packet that is too large for the local network is reported as unsent with EMSGSIZE', async () => {
  const { socket: sending, unsent, settled } = await socket();
  sending.send(Buffer.alloc(2000), endpointAt('198.18.5.9', PORT));
  await settled();
  assert.deepEqual(unsent, [`198.18.5.9 ${PORT} EMSGSIZE`]);
  await sending.close();
});

test('if the send queue of this machine is full, the socket reports the dropped packets as unsent, with the error ENOBUFS', async () => {
  const { socket: sending, unsent, settled } = await socket();
  await here(`tc qdisc add dev ${NEAR} root tbf rate 8kbit burst 1600 limit 1600`);
  // Sends more packets than fit into the send queue of the network interface, so the kernel drops most of them.
  for (let n = 0; n < 64; n++) sending.send(Buffer.alloc(1000), endpointAt(NARROW.address, PORT));
  await until(
    'drops',
    () => unsent.length,
    count => count > 0,
  );
  await here(`tc qdisc del dev ${NEAR} root`);
  assert.deepEqual([...new Set(unsent)], [`${NARROW.address} ${PORT} ENOBUFS`]);
  await settled();
  await sending.close();
});
