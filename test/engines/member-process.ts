/**
 * A process that is a member of a cluster of cores, for tests that kill or pause it. Arguments: the URL of the storage
 * engine, and the address of the member. Prints how many buckets (groups of servers or accounts) it has loaded, after
 * each change of this number. Ends with status 1 when the member has lost its lease.
 */
import { openOwnedStore } from '../../core/store/redis/owned-store.ts';
import { createLogger } from '../../runtime/log.ts';

const [, , url = '', address = ''] = process.argv;
const { ownership } = await openOwnedStore({
  url,
  address,
  log: createLogger('core', 'silent'),
  onWait: () => {},
  onFailure: () => {},
  onLost(error) {
    process.stdout.write(`lost: ${error.message}\n`);
    process.exit(1);
  },
});
ownership.watch(() => void process.stdout.write(`loaded ${ownership.ownedBuckets}\n`));
ownership.start({ take: async () => {}, give: async () => {} });
