import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { Conversation } from '../../../prober/transport/conversation.ts';
import { bindNodeSocket, NodeDatagramSocket } from '../../../prober/transport/datagram-socket.ts';
import { PendingQueries } from '../../../prober/transport/pending-queries.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { openDatagrams } from '../protocols/exchange.ts';

const wheel = new TimerWheel();
const socket = new NodeDatagramSocket(await bindNodeSocket('udp4'), {
  family: 'udp4',
  receiveBuffer: 65_536,
  events: { received: () => {}, unsent: () => {}, rejected: () => {}, warn: () => {} },
});
after(() => socket.close());

function conversation(address: string, port: number): Conversation {
  const listening = { listen: () => true, forget: () => {} };
  const endpoint = endpointAt(address, port);
  const [exchange, admitted] = [openDatagrams(a2s), unlimitedProbe(wheel)];
  return new Conversation({ endpoint, exchange, admitted, socket, wheel, listening });
}

test('the table of open UDP queries finds each query by address and port until the query is removed', () => {
  const table = new PendingQueries();
  // Creates 24,000 queries, for a hash table with 8,192 buckets. Most addresses have several queries, which differ only
  // in the port.
  const all = Array.from({ length: 24_000 }, (_, i) => {
    const host = i >> 2;
    const address = i % 3 === 0 ? `2001:db8::${host.toString(16)}` : `10.${host >> 8}.${host & 255}.1`;
    return conversation(address, 1000 + (i & 3));
  });
  for (const one of all) table.addQuery(one);
  assert.deepEqual(new Set(table.all()), new Set(all));
  const found = (one: Conversation) => table.find(one.endpoint.key, one.endpoint.port);
  for (const one of all) assert.equal(found(one), one);
  for (const [i, one] of all.entries()) if (i % 2 === 0) table.remove(one);
  for (const [i, one] of all.entries()) assert.equal(found(one), i % 2 === 0 ? undefined : one);
  for (const [i, one] of all.entries()) if (i % 2 === 1) table.remove(one);
  assert.deepEqual(table.all(), []);
  assert.ok(all.every(({ next }) => next === undefined));
});
