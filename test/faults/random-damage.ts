import { cpSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backupChunks } from '../../core/backup/backup.ts';
import { examine } from '../../core/examine.ts';
import { openOffline } from '../../core/offline-store.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { damageTemplates, type Template } from './damage-templates.ts';
import type { Report } from './main.ts';
import { closeAsCore, configOf, contentOf, now, openAsCore } from './whole-data.ts';

type Random = (below: number) => number;

/**
 * Matches an error message that tells the operator what to do. The core must give such advice if it refuses to start on
 * a damaged data directory.
 */
const ADVICE = /gsq restore <file>|restore the file|run the release that wrote the store|chmod 600/;
const DATA = /^(?:CURRENT|MANIFEST-\d+|\d+\.(?:log|ldb)|gsq\.json)$/;

/** Returns the paths of the files of a data directory that contain data: files of LevelDB, `gsq.json` and key files. */
function dataFiles(directory: string): string[] {
  const store = join(directory, 'leveldb');
  const names = readdirSync(store).filter(name => DATA.test(name));
  const keys = readdirSync(directory).filter(name => /^(?:token|credentials)\.key$/.test(name));
  return [...names.map(name => join(store, name)), ...keys.map(name => join(directory, name))];
}

function change(path: string, by: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  by(bytes);
  writeFileSync(path, bytes);
}

/**
 * The kinds of random damage to a data directory. Each function damages the file `path`, and returns a description of
 * the damage.
 */
const acts: ((path: string, random: Random, files: readonly string[]) => string)[] = [
  (path, random) => {
    const size = readFileSync(path).length;
    const [at, bit] = [random(Math.max(size, 1)), random(8)];
    if (size > 0) change(path, bytes => void bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at));
    return `bit ${bit} of byte ${at} of ${size} flipped`;
  },
  (path, random) => {
    const size = readFileSync(path).length;
    // Truncates the file. In half of the cases, only the last 1 to 300 bytes are removed, because this damage is
    // hardest to notice. In the other cases, the new length is random.
    const left = random(2) === 0 ? random(size + 1) : Math.max(0, size - 1 - random(300));
    truncateSync(path, Math.min(left, size));
    return `truncated to ${left} of ${size} bytes`;
  },
  (path, random) => {
    const size = readFileSync(path).length;
    const [at, length] = [random(size + 1), 1 + random(5_000)];
    change(path, bytes => void bytes.fill(0, at, Math.min(size, at + length)));
    return `${length} bytes zeroed at ${at} of ${size}`;
  },
  path => {
    rmSync(path);
    return 'deleted';
  },
  path => {
    truncateSync(path);
    return 'emptied';
  },
  (path, random, files) => {
    const other = files[random(files.length)] ?? path;
    if (other === path) return 'swapped with itself';
    renameSync(path, `${path}.kept`);
    renameSync(other, path);
    renameSync(`${path}.kept`, other);
    return `swapped with ${basename(other)}`;
  },
];

/** Returns true if `gsq doctor --offline` finds no fault. */
async function doctorIsContent(directory: string): Promise<boolean> {
  const store = await openOffline(directory);
  try {
    return (await examine(store, configOf(directory))).every(({ ok }) => ok);
  } finally {
    await store.close();
  }
}

/** Returns true if `gsq backup --offline` can back up all data of the directory. */
async function backupIsWhole(directory: string): Promise<boolean> {
  const store = await openOffline(directory);
  try {
    for await (const _ of backupChunks(await store.readBackup(now)));
    return store.faults.length + store.keyFaults.length === 0;
  } finally {
    await store.close();
  }
}

const falseIfRefused = (error: unknown): false => {
  if (error instanceof Error && ['StoreDamage', 'NewerStore', 'ConfigError'].includes(error.name))
    return false;
  throw error;
};

/**
 * Starts a core on a damaged copy of a data directory. Returns the faults that the test found, and whether the core
 * refused to start.
 */
async function tryCopy(template: Template, copy: string): Promise<{ faults: string[]; refused: boolean }> {
  const faults: string[] = [];
  const doctor = await doctorIsContent(copy).catch(falseIfRefused);
  const backup = await backupIsWhole(copy).catch(falseIfRefused);
  let refused = false;
  try {
    const opened = await openAsCore(copy);
    const loss = template.loss(await contentOf(opened));
    if (loss !== undefined) faults.push(`silent loss: ${loss}`);
    await closeAsCore(opened);
  } catch (error) {
    refused = true;
    const message = error instanceof Error ? error.message : String(error);
    if (!ADVICE.test(message)) faults.push(`refused without advice: ${message}`);
  }
  if (doctor === refused) faults.push(`the core ${refused ? 'refuses' : 'starts'}, but doctor disagrees`);
  if (backup === refused) faults.push(`the core ${refused ? 'refuses' : 'starts'}, but backup disagrees`);
  // `gsq doctor` must find the damage also after the core has refused to start.
  if (refused && (await doctorIsContent(copy).catch(falseIfRefused)))
    faults.push('doctor finds no fault after the core refused the directory');
  return { faults, refused };
}

/**
 * Damages copies of data directories at random. For each copy, the core must either refuse to start and give advice, or
 * start with all data. `gsq doctor --offline` and `gsq backup --offline` must agree with the core.
 */
export async function randomDamage(home: string, count: number, seed: number): Promise<Report> {
  const templates = await damageTemplates(home, seed);
  const random = randomNumbers(seed);
  const faults: string[] = [];
  let refusals = 0;
  for (let i = 0; i < count; i++) {
    const template = templates[i % templates.length] as Template;
    const copy = join(home, 'copy');
    cpSync(template.directory, copy, { recursive: true });
    const files = dataFiles(copy);
    const path = files[random(files.length)] ?? '';
    const what = acts[random(acts.length)]?.(path, random, files);
    const told = `damage ${i} (${template.name}): ${basename(path)} ${what}`;
    const tried = await tryCopy(template, copy).catch((error: Error) => ({
      faults: [error.stack ?? error.message],
      refused: true,
    }));
    if (tried.refused) refusals++;
    faults.push(...tried.faults.map(fault => `${told}: ${fault}`));
    rmSync(copy, { recursive: true, force: true });
  }
  return {
    faults,
    figures: `${count} random damages after a stop and after kills: ${refusals} refused with advice, ${count - refusals} whole`,
  };
}
