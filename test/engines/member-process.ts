/**
 * A member of a cluster of cores, for tests that kill or pause this process. Arguments: URL of the storage engine, and
 * address and data directory of the member. Ends with status 1 if the member loses its lease.
 */
import { DirectoryLock } from '../../core/store/leveldb/directory-lock.ts';
import { openOwnedStore } from '../../core/store/redis/owned-store.ts';
import { createLogger } from '../../runtime/log.ts';

const [, , url = '', address = '', dataDirectory = ''] = process.argv;
const log = createLogger('core', 'silent');
const { ownership } = await openOwnedStore({
  url,
  address,
  lock: id => DirectoryLock.take(dataDirectory, id, log),
  log,
  onWait: () => {},
  onFailure: () => {},
  onLost(error) {
    process.stdout.write(`lost: ${error.message}\n`);
    process.exit(1);
  },
});
// Prints the number of loaded buckets (groups of servers or accounts) after each change.
ownership.watch(() => void process.stdout.write(`loaded ${ownership.ownedBuckets}\n`));
ownership.start({ take: async () => {}, give: async () => {} });
