import type { Logger } from '../../../runtime/log.ts';
import type { EngineNodes } from './engine-nodes.ts';
import { showAddress } from './engine-url.ts';

/** Error if the version or a setting of Redis or Valkey is unsafe for the data of gsq. */
export class UnusableEngine extends Error {
  override name = 'UnusableEngine';
}

/**
 * The oldest version of Redis that gsq supports. Valkey reports the version of Redis with which it is compatible, 7.2.
 */
const OLDEST_VERSION = 7.0;
/**
 * The oldest version of Redis with the command WAITAOF. gsq needs this command if writes must be in append-only files.
 */
const OLDEST_WITH_WAITAOF = 7.2;

/**
 * Checks the version and the settings of all masters of the storage engine. `aof`: true if writes must be in
 * append-only files. Rejects with UnusableEngine, ConnectionLost or EngineReplyError.
 */
export async function checkEngine(nodes: EngineNodes, aof: boolean, log: Logger): Promise<void> {
  const withoutFile: string[] = [];
  const withoutRight: string[] = [];
  for (const master of nodes.masters) {
    const connection = await nodes.connect(master);
    const info = readInfo(String(await connection.send(['INFO'])));
    checkInfo(info, aof, showAddress(master));
    if (info.get('aof_enabled') === '0') withoutFile.push(showAddress(master));
    if (!connection.mayRunTransactions) withoutRight.push(showAddress(master));
  }
  if (withoutFile.length > 0)
    log.warn(
      { nodes: withoutFile },
      'store: these nodes of the storage engine have no append-only file (appendonly no), so a power cut of all nodes ' +
        'loses the newest changes',
    );
  if (withoutRight.length > 0)
    log.warn(
      { nodes: withoutRight },
      'store: the user in GSQ_STORE may not run transactions on these nodes of the storage engine, so changes of many ' +
        'servers take more of its CPU time. Give the user the right +@transaction',
    );
}

/** Parses the reply of the command INFO of Redis or Valkey into its fields. */
export function readInfo(text: string): Map<string, string> {
  const lines = text.split('\r\n').filter(line => line.includes(':') && !line.startsWith('#'));
  return new Map(lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/**
 * Throws UnusableEngine if a node of the storage engine has a wrong version or setting. `aof`: true if writes must be
 * in append-only files. `node`: address of the node, for the message.
 */
export function checkInfo(info: ReadonlyMap<string, string>, aof: boolean, node: string): void {
  const version = info.get('redis_version') ?? '';
  const policy = info.get('maxmemory_policy') ?? '';
  if (Number.parseFloat(version) < OLDEST_VERSION) {
    throw new UnusableEngine(`${node} is Redis ${version}, but gsq needs Redis 7.0 or later, or Valkey`);
  }
  if (policy.startsWith('allkeys-')) {
    throw new UnusableEngine(
      `${node} deletes data when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`,
    );
  }
  if (!aof) return;
  if (Number.parseFloat(version) < OLDEST_WITH_WAITAOF) {
    throw new UnusableEngine(`${node} is Redis ${version}, but aof=yes needs Redis 7.2 or later, or Valkey`);
  }
  if (info.get('aof_enabled') === '0') {
    throw new UnusableEngine(`${node} has no append-only file, but aof=yes needs one: set appendonly yes`);
  }
}
