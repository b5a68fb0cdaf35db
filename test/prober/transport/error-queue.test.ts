import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { after, describe, test } from 'node:test';
import {
  bindNodeSocket,
  type DatagramEndpoint,
  type Family,
} from '../../../prober/transport/datagram-socket.ts';
import { type Linux, openLinux } from '../../../prober/transport/linux.ts';
import { MessageVector } from '../../../prober/transport/message-vector.ts';
import { until } from '../../system/until.ts';
import { endpointAt } from '../endpoint-at.ts';
import { isAwake, openBatched } from './open-batched.ts';

const LOOPBACK = { udp4: '127.0.0.1', udp6: '::1' } as const;
/** Port on which no process listens, because the system never assigns it. */
const CLOSED_PORT = 9;
/** Number of packets that one system call sends. */
const BATCH = 64;
/** Length of a packet that does not fit into a batch, bytes. The socket of Node.js sends such a packet. */
const LONG = 2000;

const linux = await openLinux();
const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

const batched = async (...of: Parameters<typeof openBatched>) => {
  const opened = await openBatched(...of);
  cleanups.push(() => opened.socket.close());
  return opened;
};

const packet = (text: string) => Buffer.from(text);

/** Opens a listening socket. Returns the socket, its address and the texts that it receives. */
async function listener(family: Family) {
  const socket = await bindNodeSocket(family);
  cleanups.push(() => socket.close());
  const heard: string[] = [];
  socket.on('message', datagram => heard.push(datagram.toString()));
  return { socket, heard, endpoint: endpointAt(LOOPBACK[family], socket.address().port) };
}

const filled = (what: string, list: readonly unknown[], length: number) =>
  until(
    what,
    () => list.length,
    found => found >= length,
  );

const nobodyAt = (family: Family): DatagramEndpoint => endpointAt(LOOPBACK[family], CLOSED_PORT);

describe('ICMP messages that reject packets of a batched socket', { skip: !linux?.errorQueues }, () => {
  const system = linux as Linux;

  for (const family of ['udp4', 'udp6'] as const) {
    const rejection = `${LOOPBACK[family]} ${CLOSED_PORT} ECONNREFUSED`;

    test(`${family}: are reported with the destination of the rejected packet`, async () => {
      const here = await batched(system, family);
      here.socket.send(packet('?'), nobodyAt(family));
      await filled('a reject', here.rejected, 1);
      assert.deepEqual([here.rejected, here.unsent, here.warnings], [[rejection], [], []]);
    });

    test(`${family}: do not prevent the next packets to another destination`, async () => {
      const here = await batched(system, family);
      const there = await listener(family);
      const texts = Array.from({ length: BATCH }, (_, i) => `packet ${i}`);
      for (const text of texts) here.socket.send(packet(text), nobodyAt(family));
      // The first batch is full and already sent. The errors of its ICMP messages are still pending when the next batch
      // is sent.
      for (const text of texts) here.socket.send(packet(text), there.endpoint);
      await Promise.all([filled('packets', there.heard, BATCH), filled('rejects', here.rejected, BATCH)]);
      assert.deepEqual(there.heard, texts);
      assert.deepEqual(here.rejected, Array(BATCH).fill(rejection));
      assert.deepEqual([here.unsent, here.warnings], [[], []]);
    });

    test(`${family}: do not prevent a long packet that the Node.js socket sends`, async () => {
      const here = await batched(system, family);
      const there = await listener(family);
      const long = 'x'.repeat(LONG);
      for (let i = 0; i < BATCH; i++) here.socket.send(packet('?'), nobodyAt(family));
      for (let i = 0; i < 3; i++) here.socket.send(packet(long), there.endpoint);
      await Promise.all([filled('packets', there.heard, 3), filled('rejects', here.rejected, BATCH)]);
      assert.deepEqual(there.heard, Array(3).fill(long));
      assert.deepEqual([here.unsent, here.warnings], [[], []]);
    });

    test(`${family}: leave no pending error at the socket, whichever system call received the error`, async () => {
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

    test(`${family}: do not delay replies, even if a new ICMP message arrives with every read`, async () => {
      const toNobody = new MessageVector(system.libc, { messages: 1, bytes: 1 });
      toNobody.write(0, packet('?'), nobodyAt(family));
      // Sends a packet that will be rejected. Tries twice, because the first try can fail with the error of an earlier
      // message.
      const reject = () => system.send(here.fd, toNobody, 0, 1) > 0 || system.send(here.fd, toNobody, 0, 1);
      let storm = setImmediate(() => {});
      let another = false;
      const here = await batched(system, family, {
        takeErrors: (fd, rejections) => {
          const taken = system.takeErrors(fd, rejections);
          if (another) reject();
          another = false;
          return taken;
        },
      });
      const there = await listener(family);
      const replies = Array.from({ length: BATCH }, (_, i) => `reply ${i}`);
      there.socket.on('message', (_, from) => {
        for (const reply of replies) there.socket.send(reply, from.port, from.address);
      });
      here.socket.send(packet('?'), there.endpoint);
      // Causes an ICMP message right before the event loop reads, and another message after the first is handled.
      const rage = () => {
        reject();
        another = true;
        storm = setImmediate(rage);
      };
      rage();
      await filled('replies', here.received, BATCH).finally(() => clearImmediate(storm));
      assert.deepEqual(here.received, replies);
      assert.deepEqual([here.unsent, here.warnings], [[], []]);
    });
  }

  test('are reported to a function that can itself send packets', async () => {
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

  test('are distinguished from a local error, which is reported as an unsent packet', async () => {
    const here = await batched(system, 'udp4');
    const there = await listener('udp4');
    // The kernel refuses to send a broadcast from this socket, so these packets fail with a local error.
    const broadcast = endpointAt('255.255.255.255', CLOSED_PORT);
    for (const to of [nobodyAt('udp4'), broadcast, there.endpoint, broadcast, there.endpoint]) {
      here.socket.send(packet('?'), to);
    }
    here.socket.send(packet('x'.repeat(LONG)), broadcast);
    await Promise.all([filled('packets', there.heard, 2), filled('failures', here.unsent, 3)]);
    assert.deepEqual(here.unsent, Array(3).fill(`255.255.255.255 ${CLOSED_PORT} EACCES`));
    assert.deepEqual(here.rejected, [`127.0.0.1 ${CLOSED_PORT} ECONNREFUSED`]);
  });

  test('make another packet fail as unsent if all 64 attempts to send it receive their errors', async () => {
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
