import { ALL_BUCKETS } from '../../core/cluster/buckets.ts';
import { CredentialsKey, credentialsKeyPath } from '../../core/credentials/credentials-key.ts';
import { readExposition } from '../deploy/exposition.ts';
import { metricsText } from '../deploy/scrape.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess } from './service-process.ts';
import { until } from './until.ts';

/**
 * Longest time until each core owns its share of the buckets of servers, in ms. On an idle machine, this takes about
 * 7 s.
 */
const BALANCED_MS = 120_000;
/**
 * File with the key that hashes the secrets of tokens. The first core of a cluster creates the file, and all other
 * cores need a copy of it.
 */
const TOKEN_KEY = 'token.key';

/**
 * Starts the cores of a test, and adds each to `cores`. Several cores need a Redis or Valkey in `settings`. Resolves
 * when each core owns its share of the buckets of servers.
 */
export async function startCores(
  count: number,
  settings: Record<string, string>,
  cores: ServiceProcess[],
): Promise<void> {
  if (count === 1) {
    cores.push(await ServiceProcess.start('core', settings));
    return;
  }
  // Creates the key that encrypts credentials, because all cores need the same key. Otherwise, each core would create
  // its own key when it first encrypts credentials.
  const directory = scratchDirectory();
  CredentialsKey.make(directory);
  const credentialsKey = credentialsKeyPath(directory);
  // The first core creates the token key, and becomes the lead, which writes tokens and webhooks.
  const first = await ServiceProcess.start('core', settings, [credentialsKey]);
  cores.push(first);
  const files = [credentialsKey, first.dataFile(TOKEN_KEY)];
  const starting = Array.from({ length: count - 1 }, async () => {
    cores.push(await ServiceProcess.start('core', settings, files));
  });
  const failed = (await Promise.allSettled(starting)).find(result => result.status === 'rejected');
  if (failed) throw failed.reason;
  const isFair = (buckets: number): boolean => Math.abs(buckets * count - ALL_BUCKETS) < ALL_BUCKETS / 8;
  await until(
    'cores that each own their share of the buckets',
    () => Promise.all(cores.map(bucketsOf)),
    counts => counts.reduce((sum, buckets) => sum + buckets, 0) === ALL_BUCKETS && counts.every(isFair),
    BALANCED_MS,
  );
}

/** Returns the number of buckets of servers that a core owns. */
async function bucketsOf(core: ServiceProcess): Promise<number> {
  const { samples } = readExposition(await metricsText(core.address('GSQ_CORE_OPS_ADDR')));
  return samples.find(({ name }) => name === 'gsq_cluster_buckets')?.value ?? 0;
}
