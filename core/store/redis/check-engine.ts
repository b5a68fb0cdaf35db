import type { Logger } from '../../../runtime/log.ts';
import type { EngineNodes } from './engine-nodes.ts';
import { showAddress } from './engine-url.ts';

/** Error if the storage engine has a version or a setting with which gsq cannot keep its data. */
export class UnusableEngine extends Error {
  override name = 'UnusableEngine';
}

const OLDEST_VERSION = 7;

/**
 * Checks the version and the settings of all masters. Rejects with UnusableEngine, ConnectionLost or EngineReplyError.
 * Logs a warning if a power cut of all nodes would lose data.
 */
export async function checkEngine(nodes: EngineNodes, log: Logger): Promise<void> {
  const withoutFile: string[] = [];
  for (const master of nodes.masters) {
    const connection = await nodes.connect(master);
    const info = readInfo(String(await connection.send(['INFO'])));
    checkInfo(info, showAddress(master));
    if (info.get('aof_enabled') === '0') withoutFile.push(showAddress(master));
  }
  if (withoutFile.length === 0) return;
  log.warn(
    { nodes: withoutFile },
    'store: these nodes of the storage engine have no append-only file (appendonly no), so a power cut of all nodes ' +
      'loses the newest changes',
  );
}

/** Parses the reply of INFO into its fields. */
export function readInfo(text: string): Map<string, string> {
  const lines = text.split('\r\n').filter(line => line.includes(':') && !line.startsWith('#'));
  return new Map(lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Throws UnusableEngine if a node has a wrong version or setting. `node`: its address, for the message. */
export function checkInfo(info: ReadonlyMap<string, string>, node: string): void {
  const version = info.get('redis_version') ?? '';
  if (Number.parseInt(version, 10) < OLDEST_VERSION) {
    throw new UnusableEngine(
      `${node} is Redis ${version}, but gsq needs Redis ${OLDEST_VERSION} or later, or Valkey`,
    );
  }
  const policy = info.get('maxmemory_policy') ?? '';
  if (policy.startsWith('allkeys-')) {
    throw new UnusableEngine(
      `${node} deletes data when its memory is full (maxmemory-policy ${policy}): set maxmemory-policy noeviction`,
    );
  }
}
