import { createHmac } from 'node:crypto';

/**
 * Returns the headers of Standard Webhooks for a delivery. `secret`: `whsec_` and base64. `seconds`: time of the
 * attempt, seconds since the Unix epoch.
 */
export function signatureHeaders(
  secret: string,
  id: string,
  seconds: number,
  body: Buffer,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
