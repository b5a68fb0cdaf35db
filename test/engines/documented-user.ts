import { readFileSync } from 'node:fs';
import type { EngineNode, Login } from './engine-node.ts';
import type { EngineKind } from './engine-program.ts';

/** The user with which gsq logs in to the storage engine in the tests. */
export const STORE_USER: Login = { user: 'gsq', password: 'a-password-of-the-store' };

const GUIDE = new URL('../../docs/scaling.md', import.meta.url);
/**
 * Matches the lines of docs/scaling.md that create the database user of gsq: a command, and a line of a configuration
 * file. Group 1: the rights of the user.
 */
const RIGHTS = /^(?:ACL SETUSER|user) gsq on >\S+ (.+)$/gm;

/**
 * Returns the rights that docs/scaling.md gives to the user of gsq. The tests use them to prove that gsq needs no other
 * rights.
 */
export function documentedRights(kind: EngineKind): string {
  const [rights, ...others] = new Set(
    [...readFileSync(GUIDE, 'utf8').matchAll(RIGHTS)].map(([, each]) => each),
  );
  if (rights === undefined || others.length > 0)
    throw new Error('docs/scaling.md must give the user of gsq the same rights everywhere');
  // Removes the right to WAITAOF: the tests use Redis 7.0, which lacks this command and does not start if a user has
  // the right to it.
  return kind === 'redis' ? rights.replace(' +waitaof', '') : rights;
}

/**
 * Returns the commands, keys and channels that the nodes refused to the database user of gsq because this user lacks
 * a right.
 */
export async function refusedCommands(nodes: readonly EngineNode[]): Promise<string[]> {
  const logs = await Promise.all(nodes.map(node => node.command('ACL', 'LOG')));
  const entries = logs.flat().map(entry => fieldsOf(entry));
  const refused = entries.filter(({ username, reason }) => username === STORE_USER.user && reason !== 'auth');
  return [...new Set(refused.map(({ object = '' }) => object))];
}

/** Converts an entry of the reply of ACL LOG to an object. The entry is a list in which names and values alternate. */
function fieldsOf(entry: unknown): Readonly<Record<string, string>> {
  const list = Array.isArray(entry) ? entry.map(String) : [];
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1] ?? '']] : [])));
}
