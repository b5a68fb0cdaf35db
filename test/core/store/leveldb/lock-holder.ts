/**
 * Locks a data directory until the process ends. For tests that kill or pause this process. Arguments: the data
 * directory, and the core id to store in the lock. Prints `locked` or `not locked`.
 */
import { DirectoryLock } from '../../../../core/store/leveldb/directory-lock.ts';
import { createLogger } from '../../../../runtime/log.ts';

const [, , directory = '', id = ''] = process.argv;
const lock = await DirectoryLock.take(directory, id, createLogger('core', 'silent'));
process.stdout.write(lock ? 'locked\n' : 'not locked\n');
setInterval(() => {}, 60_000);
