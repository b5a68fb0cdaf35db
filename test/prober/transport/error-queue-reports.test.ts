import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { describe, test } from 'node:test';
import { type Linux, openLinux } from '../../../prober/transport/linux.ts';
import { until } from '../../system/until.ts';
import { BROADCAST, endpointAt } from '../endpoint-at.ts';
import {
  BATCH,
  batchedSockets,
  CLOSED_PORT,
  filled,
  LONG,
  LOOPBACK,
  nobodyAt,
  packet,
} from './batched-sockets.ts';
import { isAwake } from './open-batched.ts';

const linux = await openLinux();
const { batched, listener } = batchedSockets();

describe('a BatchedSocket (UDP)', { skip: !linux?.errorQueues }, () => {
  const system = linux as Linux;

  for (const family of ['udp4', 'udp6'] as const) {
    const rejection = `${LOOPBACK[family]} ${CLOSED_PORT} ECONNREFUSED`;

    test(`reports the destination of each packet that an ICMP message rejects (${family})`, async () => {
      const here = await batched(system, family);
      here.socket.send(packet('?'), nobodyAt(family));
      await filled('a reject', here.rejected, 1);
      assert.deepEqual([here.rejected, here.unsent, here.warnings], [[rejection], [], []]);
    });

    test(`reads every ICMP error, even if a send call has already returned one of these errors (${family})`, async () => {
      const here = await batched(system, family);
      const there = await listener(family);
      for (const [what, send, rejects] of [
        ['Node’s read', () => here.socket.send(packet('?'), nobodyAt(family)), 1],
        [
          'a batch that ends early',
          () => {
            for (const to of [there.endpoint, nobodyAt(family), there.endpoint])
              here.socket.send(packet('?'), to);
          },
          1,
        ],
        [
          'a batch that does not begin',
          () => {
            for (let i = 0; i < BATCH; i++) here.socket.send(packet('?'), nobodyAt(family));
            for (let i = 0; i < BATCH; i++) here.socket.send(packet('?'), there.endpoint);
          },
          BATCH,
        ],
        [
          'Node’s send',
          () => {
            for (let i = 0; i < BATCH; i++) here.socket.send(packet('?'), nobodyAt(family));
            here.socket.send(packet('x'.repeat(LONG)), there.endpoint);
          },
          BATCH,
        ],
      ] as const) {
        here.rejected.length = 0;
        send();
        await filled(what, here.rejected, rejects);
        await until(
          what,
          () => isAwake(here.fd),
          awake => !awake,
        );
      }
      assert.deepEqual([here.unsent, here.warnings], [[], []]);
    });
  }

  test('can send packets from the callback that receives ICMP rejections', async () => {
    const here = await batched(system, 'udp4');
    const there = await listener('udp4');
    const texts = Array.from({ length: 2 * BATCH }, (_, i) => `packet ${i}`);
    here.rejected.push = (...rejections) => {
      for (const text of texts) here.socket.send(packet(text), there.endpoint);
      return Array.prototype.push.apply(here.rejected, rejections);
    };
    for (const to of [nobodyAt('udp4'), there.endpoint]) here.socket.send(packet('first'), to);
    await filled('packets', there.heard, 1 + texts.length);
    assert.deepEqual(there.heard, ['first', ...texts]);
  });

  test('reports a packet that fails with a local error as unsent, not as rejected', async () => {
    const here = await batched(system, 'udp4');
    const there = await listener('udp4');
    // The packets to the endpoint `broadcast` fail with a local error, because the kernel refuses to send broadcasts
    // from this socket.
    const broadcast = endpointAt(BROADCAST, CLOSED_PORT);
    for (const to of [nobodyAt('udp4'), broadcast, there.endpoint, broadcast, there.endpoint]) {
      here.socket.send(packet('?'), to);
    }
    here.socket.send(packet('x'.repeat(LONG)), broadcast);
    await Promise.all([filled('packets', there.heard, 2), filled('failures', here.unsent, 3)]);
    assert.deepEqual(here.unsent, Array(3).fill(`${BROADCAST} ${CLOSED_PORT} EACCES`));
    assert.deepEqual(here.rejected, [`127.0.0.1 ${CLOSED_PORT} ECONNREFUSED`]);
  });

  test('reports a packet as unsent if 64 attempts to send it failed with ECONNREFUSED', async () => {
    let calls = 0;
    const refusing = {
      send: () => {
        calls++;
        return -constants.errno.ECONNREFUSED;
      },
      takeErrors: () => 1,
    };
    const here = await batched(system, 'udp4', refusing);
    here.socket.send(packet('?'), nobodyAt('udp4'));
    await filled('the failure', here.unsent, 1);
    assert.deepEqual([here.unsent, calls], [[`127.0.0.1 ${CLOSED_PORT} ECONNREFUSED`], 64]);
  });
});
