import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../system/until.ts';
import { CoreProcess } from './core-process.ts';
import type { Report } from './main.ts';

const WHAT_TO_DO = /gsq restore <file> --data-dir <directory>/;

function one(directory: string, kind: RegExp): string {
  const [name] = readdirSync(directory).filter(each => kind.test(each));
  if (name === undefined) throw new Error(`there is no ${kind} in ${directory}`);
  return join(directory, name);
}

/**
 * Starts a core on a damaged data directory. Returns the output of the core if it refuses to start, and undefined if it
 * starts.
 */
async function refusal(directory: string): Promise<string | undefined> {
  const core = await CoreProcess.start(directory).catch((error: Error) => error);
  if (core instanceof Error) return core.message;
  await core.child.stop();
  return undefined;
}

/**
 * Deletes the store of a running core. The core must notice this and refuse writes. Returns what the core did wrong, or
 * undefined if it did nothing wrong.
 */
async function deleteUnderCore(directory: string): Promise<string | undefined> {
  const core = await CoreProcess.start(directory);
  rmSync(join(directory, 'leveldb'), { recursive: true });
  try {
    await until(
      'the core to refuse writes',
      () => core.metric('gsq_store_writable'),
      seen => seen === 0,
    );
    return core.child.running ? undefined : `the core ended: ${core.child.report}`;
  } catch (error) {
    return String(error);
  } finally {
    await core.child.stop();
  }
}

/**
 * Starts cores on damaged copies of the data directory `directory`, and on a directory that a running core uses. None
 * of these cores may start: each must exit with status 3, and say what the operator must do.
 */
export async function damage(home: string, directory: string): Promise<Report> {
  const acts: Record<string, (store: string) => void> = {
    'half a manifest': store => {
      const manifest = one(store, /^MANIFEST/);
      truncateSync(manifest, Math.floor(statSync(manifest).size / 2));
    },
    'a flipped byte': store => {
      const table = one(store, /\.ldb$/);
      const bytes = readFileSync(table);
      const middle = bytes.length >> 1;
      bytes[middle] = (bytes[middle] ?? 0) ^ 1;
      writeFileSync(table, bytes);
    },
    'a deleted table': store => rmSync(one(store, /\.ldb$/)),
  };
  const faults: string[] = [];
  for (const [what, act] of Object.entries(acts)) {
    const copy = join(home, what.replaceAll(' ', '-'));
    cpSync(directory, copy, { recursive: true });
    act(join(copy, 'leveldb'));
    const report = await refusal(copy);
    if (report === undefined) faults.push(`${what}: the core starts`);
    else if (!/ended with 3:/.test(report) || !WHAT_TO_DO.test(report)) faults.push(`${what}: ${report}`);
    rmSync(copy, { recursive: true });
  }
  const deleted = join(home, 'deleted');
  cpSync(directory, deleted, { recursive: true });
  const fault = await deleteUnderCore(deleted);
  if (fault !== undefined) faults.push(`the store is deleted while the core runs: ${fault}`);
  const core = await CoreProcess.start(directory);
  const second = await refusal(directory);
  if (!/ended with 3:/.test(second ?? '') || !/is in use by another core; stop that core/.test(second ?? ''))
    faults.push(`a second core: ${second ?? 'starts'}`);
  if (!core.child.running) faults.push(`the first core ended: ${core.child.report}`);
  await core.child.stop();
  return {
    faults,
    figures: `${Object.keys(acts).join(', ')}, a second process, and a deletion while the core runs: each refused`,
  };
}
