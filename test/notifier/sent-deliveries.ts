import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { Resolution } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { type SentDelivery, sendDelivery } from '../../notifier/delivery-sender.ts';
import type { Delivery__Output } from '../../proto/generated/gsq/v1/Delivery.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** Allows the notifier to connect to receivers on loopback. */
export const LOOPBACK = new TargetPolicy(['127.0.0.0/8']);
const names: Record<string, string[]> = {
  'hook.example': ['127.0.0.1'],
  'mixed.example': ['10.0.0.1', '127.0.0.1'],
  'inside.example': ['10.0.0.1'],
};
const resolver = {
  async resolve(name: string): Promise<Resolution> {
    if (name === 'unanswered.example') return { kind: 'failed', reason: 'ETIMEOUT' };
    const addresses = names[name];
    return addresses ? { kind: 'addresses', addresses } : { kind: 'absent' };
  },
};

/**
 * Sends a webhook delivery to `url` with the code of the notifier, and returns the result. `more` replaces fields of
 * the delivery. Host names are looked up in `names`, not in DNS.
 */
export function send(
  url: string,
  more: Partial<Delivery__Output> = {},
  policy = LOOPBACK,
  ca?: string,
): Promise<SentDelivery> {
  const delivery: Delivery__Output = {
    leaseId: 1,
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': 'msg_1' },
    body: Buffer.from('{"event":"test"}'),
    timeoutMs: 10_000,
    wantsBody: false,
    ...more,
  };
  return sendDelivery(delivery, policy, { resolver, elapsed: () => 0, ...(ca !== undefined && { ca }) });
}

/** Starts a webhook receiver that answers each request with status 200 and the body `thanks`. */
export function ok(t: TestContext): Promise<Receiver> {
  return startReceiver(t, (_request, response) => response.end('thanks'));
}

/** Starts a TCP server on loopback that handles each connection with `serve`. Returns its URL. */
export async function rawServer(t: TestContext, serve: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
