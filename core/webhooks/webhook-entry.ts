import { isEncrypted } from '../credentials/credentials-key.ts';
import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { Put } from '../store/storage-engine.ts';
import { HOOK_ID, type Webhook } from './webhook.ts';

/** Prefix of the store keys of webhooks. After the prefix, a key contains the id of the webhook. */
export const WEBHOOKS = 'w/';

/** A webhook in the form in which the store and backups contain it. */
export interface StoredWebhook {
  readonly webhook: Webhook;
  /**
   * The secrets of the webhook, encrypted. Before the encryption, they are a `HookSecrets` object as JSON.
   * `CredentialsKey` encrypts and decrypts them. Its argument `owner` is the result of `secretsOwner` for this webhook.
   */
  readonly encrypted: Buffer;
}

/**
 * Returns the argument `owner` with which `CredentialsKey` encrypts the secrets of a webhook. Their decryption needs
 * the same argument.
 */
export function secretsOwner(id: string): string {
  return WEBHOOKS + id;
}

/** A stored webhook as an object for JSON. The encrypted secrets are in base64. */
export type WebhookJson = Webhook & { encrypted: string };

/** Returns a stored webhook as an object for JSON. */
export function webhookJson({ webhook, encrypted }: StoredWebhook): WebhookJson {
  return { ...webhook, encrypted: encrypted.toString('base64') };
}

/** Returns a webhook from its JSON. Returns undefined if the id or the encrypted secrets are malformed. */
export function webhookOfJson({ encrypted, ...webhook }: WebhookJson): StoredWebhook | undefined {
  const bytes = Buffer.from(encrypted, 'base64');
  return HOOK_ID.test(webhook.id) && isEncrypted(bytes) ? { webhook, encrypted: bytes } : undefined;
}

/** Returns the write operation that stores a webhook. */
export function webhookEntry(stored: StoredWebhook): Put {
  const key = WEBHOOKS + stored.webhook.id;
  const content = JSON.stringify(webhookJson(stored));
  return { type: 'put', key, value: addChecksum(key, Buffer.from(content)) };
}

/** Reads a stored webhook. Returns undefined if the entry is damaged. */
export function storedWebhook(key: string, value: Buffer): StoredWebhook | undefined {
  const content = checkedContent(key, value);
  if (!content) return undefined;
  return webhookOfJson(JSON.parse(content.toString()) as WebhookJson);
}
