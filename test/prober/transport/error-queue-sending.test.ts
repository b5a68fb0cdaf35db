import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Linux, openLinux } from '../../../prober/transport/linux.ts';
import { MessageVector } from '../../../prober/transport/message-vector.ts';
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

const linux = await openLinux();
const { batched, listener } = batchedSockets();

describe('a BatchedSocket (UDP)', { skip: !linux?.errorQueues }, () => {
  const system = linux as Linux;

  for (const family of ['udp4', 'udp6'] as const) {
    const rejection = `${LOOPBACK[family]} ${CLOSED_PORT} ECONNREFUSED`;

    test(`sends packets to a different destination after an ICMP rejection (${family})`, async () => {
      const here = await batched(system, family);
      const there = await listener(family);
      const texts = Array.from({ length: BATCH }, (_, i) => `packet ${i}`);
      for (const text of texts) here.socket.send(packet(text), nobodyAt(family));
      // The packets to a closed port have caused ICMP errors, which the socket has not read yet. The socket must
      // nevertheless send all packets to the open port.
      for (const text of texts) here.socket.send(packet(text), there.endpoint);
      await Promise.all([filled('packets', there.heard, BATCH), filled('rejects', here.rejected, BATCH)]);
      assert.deepEqual(there.heard, texts);
      assert.deepEqual(here.rejected, Array(BATCH).fill(rejection));
      assert.deepEqual([here.unsent, here.warnings], [[], []]);
    });

    test(`sends packets that are too long for a batch, even if ICMP errors are still unread (${family})`, async () => {
      const here = await batched(system, family);
      const there = await listener(family);
      const long = 'x'.repeat(LONG);
      for (let i = 0; i < BATCH; i++) here.socket.send(packet('?'), nobodyAt(family));
      for (let i = 0; i < 3; i++) here.socket.send(packet(long), there.endpoint);
      await Promise.all([filled('packets', there.heard, 3), filled('rejects', here.rejected, BATCH)]);
      assert.deepEqual(there.heard, Array(3).fill(long));
      assert.deepEqual([here.unsent, here.warnings], [[], []]);
    });

    test(`receives replies without delay, even if ICMP errors arrive continuously (${family})`, async () => {
      const toNobody = new MessageVector(system.libc, { messages: 1, bytes: 1 });
      toNobody.write(0, packet('?'), nobodyAt(family));
      // Sends a packet that causes an ICMP message. Tries twice, because the first call can fail with the error of an
      // earlier packet.
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
      // Causes a new ICMP error in each turn of the event loop and after each read of errors. The socket thus always
      // has an unread error.
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
});
