import { ConfigError } from '../runtime/config.ts';
import { loadTokens } from './access/load-tokens.ts';
import { CredentialsKey } from './credentials/credentials-key.ts';
import { KeptKey } from './credentials/kept-key.ts';
import { loadCredentials } from './credentials/load-credentials.ts';
import { loadRecords } from './store/memory/stored-records.ts';
import type { StorageEngine } from './store/storage-engine.ts';
import { checkWebhookKey } from './webhooks/webhooks.ts';

/**
 * Checks the store and the keys of a data directory in the same way as a starting core. Returns a description of each
 * key file that the core would refuse. Rejects with StoreDamage if the core would refuse the store.
 */
export async function verifyData(engine: StorageEngine, dataDirectory: string): Promise<string[]> {
  const faults: string[] = [];
  const checks = [
    async () => loadCredentials(engine, CredentialsKey.read(dataDirectory), dataDirectory),
    () => loadRecords(engine, () => {}),
    () => loadTokens(engine, dataDirectory),
    async () => checkWebhookKey(engine, new KeptKey(dataDirectory)),
  ];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      faults.push(error.message);
    }
  }
  return faults;
}
