import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import type { DatagramSocketOptions } from '../../../prober/transport/datagram-socket.ts';
import { UdpPool } from '../../../prober/transport/udp-pool.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { openDatagrams } from '../protocols/exchange.ts';

test('a UDP query ends with `refused` if the socket from the UdpPool option `bind` reports a rejected packet', async () => {
  const wheel = new TimerWheel(() => 0);
  const bound: DatagramSocketOptions[] = [];
  const udp = await UdpPool.open({
    sockets: 1,
    receiveBuffer: 1,
    wheel,
    warn: () => {},
    bind: async options => {
      bound.push(options);
      return {
        receiveBuffer: 1,
        send: (_packet, endpoint) =>
          options.events.rejected(endpoint, Object.assign(new Error(), { code: 'ECONNREFUSED' })),
        close: async () => {},
      };
    },
  });
  const admitted = unlimitedProbe(wheel);
  const asker = udp.converse(endpointAt('192.0.2.7', 27015), openDatagrams(a2s), admitted, false);
  const answer = await new Promise<Answer>(resolve => asker.ask(2000, resolve));
  assert.deepEqual(answer, { kind: 'refused', detail: 'ECONNREFUSED' });
  assert.deepEqual(
    { sent: admitted.packets, lost: admitted.lost, rejected: admitted.rejected },
    {
      sent: 1,
      lost: 1,
      rejected: 1,
    },
  );
  assert.deepEqual(
    bound.map(({ family }) => family),
    ['udp4', 'udp6'],
  );
  await udp.close();
});
