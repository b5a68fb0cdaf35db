import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Probes } from '../../../prober/probes/probes.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { openLinux } from '../../../prober/transport/linux.ts';
import { challengeReply } from '../protocols/bytes.ts';
import { payloadOf } from './payload-of.ts';
import { probesOnLoopback, target } from './probes-on-loopback.ts';

const { cleanups, probes, server, online, mute } = probesOnLoopback();

test('a probe that repeats a failed probe (`confirm`) uses a different UDP socket than the failed probe', async () => {
  const prober = await probes();
  const silent = await mute();
  const { signals, ...nothing } = await prober.probe(target([silent.port]));
  assert.deepEqual(nothing, { outcome: 'PROBE_OUTCOME_NO_REPLY', detail: 'no reply' });
  assert.deepEqual([signals.packetsSent, signals.packetsLost], [1, 1]);
  await prober.probe(target([silent.port]));
  assert.equal(silent.askers[0], silent.askers[1]);
  await prober.probe(target([silent.port], { confirm: true }));
  assert.notEqual(silent.askers[0], silent.askers[2]);
  assert.equal(silent.askers.length, 3);
});

test('a probe of two query ports reports `malformed` if one port sends garbage and the other port is silent', async () => {
  const junk = await server((socket, from) => socket.send('\xff\xff\xff\xffI', from.port, from.address));
  const silent = await mute();
  const result = await (await probes()).probe(target([junk.port, silent.port]));
  assert.equal(result.outcome, 'PROBE_OUTCOME_MALFORMED');
});

describe('a probe of a closed UDP port', { skip: !(await openLinux())?.errorQueues }, () => {
  /** Port on which no process listens. The system never assigns this port to a socket. */
  const closed = 9;

  for (const address of ['127.0.0.1', '::1']) {
    test(`reports \`refused\` without waiting for the timeout, at ${address}`, async () => {
      // The clock of this timing wheel stands still, so no timeout can end the probe.
      const prober = await Probes.open({
        warn: () => {},
        receiveBuffer: 64 * 1024,
        wheel: new TimerWheel(() => 1000),
      });
      cleanups.push(() => prober.close());
      const { signals, ...refused } = await prober.probe(target([closed], { address }));
      assert.deepEqual(refused, { outcome: 'PROBE_OUTCOME_REFUSED', detail: 'ECONNREFUSED' });
      assert.deepEqual(signals, {
        packetsSent: 1,
        packetsLost: 1,
        packetsRejected: 1,
        challenged: false,
        address,
      });
    });
  }

  test('also queries the next port of the server, and reports `refused` if that port does not answer', async () => {
    const prober = await probes();
    const [here, silent] = [await online('here'), await mute()];
    const found = await prober.probe(target([closed, here.port]));
    assert.equal(payloadOf(found).name, 'here');
    assert.deepEqual([found.signals.packetsLost, found.signals.packetsRejected], [1, 1]);
    const nothing = await prober.probe(target([closed, silent.port]));
    assert.equal(nothing.outcome, 'PROBE_OUTCOME_REFUSED');
    assert.deepEqual([nothing.signals.packetsLost, nothing.signals.packetsRejected], [2, 1]);
  });
});

test('a probe reports a local error as a fault of the prober, not as a failure of the server', async () => {
  const prober = await probes();
  // The system refuses to connect to this address, because it is the broadcast address of the loopback network.
  const unreachable = { address: '127.255.255.255', protocol: 'buildandshoot', gamedigId: 'bas' };
  const { outcome, signals } = await (await probes(1)).probe(target([27015], unreachable));
  assert.equal(outcome, 'PROBE_OUTCOME_PROBER_FAULT');
  assert.deepEqual([signals.packetsLost, signals.packetsRejected], [0, 0]);
  assert.equal((await prober.probe(target([]))).outcome, 'PROBE_OUTCOME_PROBER_FAULT');
  const elsewhere = { address: '127.0.0.2' };
  assert.equal((await prober.probe(target([70_000], elsewhere))).outcome, 'PROBE_OUTCOME_PROBER_FAULT');
  assert.equal(
    (await prober.probe(target([70_000], { ...elsewhere, protocol: 'minecraft' }))).outcome,
    'PROBE_OUTCOME_PROBER_FAULT',
  );
  const silent = await mute();
  const cut = prober.probe(target([silent.port]));
  await prober.close();
  assert.equal((await cut).outcome, 'PROBE_OUTCOME_PROBER_FAULT');
});

test('a probe reports its lost packets, and for a server with a host name also the IP address that it queried', async () => {
  const prober = await probes();
  const half = await server((socket, from, asked) => {
    if (asked === 1) socket.send(challengeReply(Buffer.from([1, 2, 3, 4])), from.port, from.address);
  });
  const { signals } = await prober.probe(target([half.port]));
  assert.deepEqual(signals, {
    packetsSent: 2,
    packetsLost: 1,
    packetsRejected: 0,
    challenged: true,
    address: '127.0.0.1',
  });
  const well = await online('well');
  const named = await prober.probe(target([well.port], { host: '127.0.0.1' }));
  assert.deepEqual([named.signals.packetsLost, named.signals.address], [0, '']);
});
