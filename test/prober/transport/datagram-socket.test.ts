import assert from 'node:assert/strict';
import { constants } from 'node:os';
import { test } from 'node:test';
import { bindNodeSocket } from '../../../prober/transport/datagram-socket.ts';
import { until } from '../../system/until.ts';
import { BROADCAST, endpointAt } from '../endpoint-at.ts';
import { datagramSockets, kinds, LOOPBACK, linux, type Received } from './datagram-sockets.ts';

const { open, socketOf, pair } = datagramSockets();

/** Resolves as soon as a list, for example of received datagrams, has at least `length` entries. */
const filled = (list: unknown[], length: number) =>
  until(
    `${length} of them`,
    () => list.length,
    found => found >= length,
  );

for (const kind of kinds) {
  for (const family of ['udp4', 'udp6'] as const) {
    test(`UDP socket (${kind}, ${family}): 1000 packets are each sent once, and all replies are received`, async () => {
      const { here, there, hereAt, thereAt } = await pair(kind, family);
      const texts = Array.from({ length: 1000 }, (_, i) => `packet ${i} ${'x'.repeat(i % 200)}`);
      for (const text of texts) here.socket.send(Buffer.from(text), thereAt);
      await filled(there.received, texts.length);
      assert.deepEqual(
        there.received.map(({ datagram }) => datagram.toString()),
        texts,
      );
      assert.deepEqual(there.received[500]?.from, hereAt);
      for (const { datagram, from } of there.received) there.socket.send(datagram, from);
      await filled(here.received, texts.length);
      // Compares the datagrams only after all have arrived, to check that the socket did not overwrite their memory.
      assert.deepEqual(
        here.received.map(({ datagram }) => datagram.toString()),
        texts,
      );
      assert.deepEqual(here.received.at(-1)?.from, thereAt);
      assert.deepEqual([here.unsent, there.unsent, here.warnings], [[], [], []]);
    });
  }

  test(`UDP socket (${kind}): an unsendable packet is reported, and the packets before and after this packet are sent`, async () => {
    const { here, there, thereAt } = await pair(kind, 'udp4');
    const broadcast = endpointAt(BROADCAST, 9);
    const nonsense = endpointAt('127.0.0.1', 70_000);
    for (const endpoint of [thereAt, broadcast, thereAt, nonsense, thereAt, broadcast]) {
      here.socket.send(Buffer.from('one'), endpoint);
    }
    await Promise.all([filled(there.received, 3), filled(here.unsent, 3)]);
    assert.deepEqual(
      here.unsent.map(({ endpoint, code }) => `${endpoint.address}:${endpoint.port} ${code}`).sort(),
      ['127.0.0.1:70000 ERR_SOCKET_BAD_PORT', ...Array(2).fill(`${BROADCAST}:9 EACCES`)],
    );
    assert.equal(there.received.length, 3);
  });

  test(`UDP socket (${kind}): packets can be sent from the callback that reports an unsent packet`, async () => {
    const { here, there, thereAt } = await pair(kind, 'udp4');
    const { unsent } = here;
    unsent.push = (...failures) => {
      for (let i = 0; i < 100; i++) here.socket.send(Buffer.from(`again ${i}`), thereAt);
      return Array.prototype.push.apply(unsent, failures);
    };
    here.socket.send(Buffer.from('first'), endpointAt(BROADCAST, 9));
    await filled(there.received, 100);
    assert.equal(new Set(there.received.map(({ datagram }) => datagram.toString())).size, 100);
  });

  test(`UDP socket (${kind}): packets of any length are sent and received completely`, async () => {
    const { here, there, hereAt, thereAt } = await pair(kind, 'udp4');
    const lengths = [0, 1, 1023, 1024, 1025, 1472, 9000, 65_507];
    const packets = lengths.map((length, i) => Buffer.alloc(length, i + 1));
    for (const packet of packets) here.socket.send(packet, thereAt);
    await filled(there.received, packets.length);
    for (const packet of packets) there.socket.send(packet, hereAt);
    await filled(here.received, packets.length);
    const byLength = (received: Received[]) =>
      received.map(({ datagram }) => datagram).sort((a, b) => a.length - b.length);
    assert.deepEqual(byLength(there.received), packets);
    assert.deepEqual(byLength(here.received), packets);
  });

  test(`UDP socket (${kind}): after the socket is closed, it receives no packets and reports each new packet as unsent`, async () => {
    const { here, hereAt, there, thereAt } = await pair(kind, 'udp4');
    await here.socket.close();
    open.splice(open.indexOf(here.socket), 1);
    there.socket.send(Buffer.from('too late'), hereAt);
    here.socket.send(Buffer.from('too late'), thereAt);
    await filled(here.unsent, 1);
    assert.deepEqual(here.unsent, [{ endpoint: thereAt, code: 'ERR_SOCKET_DGRAM_NOT_RUNNING' }]);
    assert.deepEqual([here.received, there.received], [[], []]);
  });

  test(`UDP socket (${kind}): receiveBuffer is the buffer size that the kernel granted`, async () => {
    const { socket } = await socketOf(kind, 'udp4');
    assert.ok(socket.receiveBuffer >= 64 * 1024);
  });
}

test('a batched UDP socket sends a packet later if the kernel’s send buffer is full', {
  skip: !linux,
}, async () => {
  const full = Object.assign(Object.create(linux ?? null), { send: () => -constants.errno.EAGAIN });
  const { socket, unsent } = await socketOf('batched', 'udp4', full);
  const receiver = await bindNodeSocket('udp4');
  const received: string[] = [];
  receiver.on('message', datagram => received.push(datagram.toString()));
  const endpoint = endpointAt(LOOPBACK.udp4, receiver.address().port);
  for (const text of ['one', 'two', 'three']) socket.send(Buffer.from(text), endpoint);
  await filled(received, 3);
  receiver.close();
  assert.deepEqual([received, unsent], [['one', 'two', 'three'], []]);
});
