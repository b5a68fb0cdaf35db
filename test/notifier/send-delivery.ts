import type { Resolution } from '../../net/resolver.ts';
import { TargetPolicy } from '../../net/targets.ts';
import { type SentDelivery, sendDelivery } from '../../notifier/delivery-sender.ts';
import type { Delivery__Output } from '../../proto/generated/gsq/v1/Delivery.ts';

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
 * the delivery. `policy`: decides to which addresses the notifier can connect. Host names are not looked up in DNS.
 * Known names: `hook.example` -> 127.0.0.1, `mixed.example` -> 10.0.0.1 and 127.0.0.1, `inside.example` -> 10.0.0.1.
 * The look-up of `unanswered.example` fails; all other names have no address.
 */
export function send(
  url: string,
  more: Partial<Delivery__Output> = {},
  policy = LOOPBACK,
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
  return sendDelivery(delivery, policy, { resolver, elapsed: () => 0 });
}
