import { isAbsolute, relative, resolve } from 'node:path';
import { internalSecretPath } from '../../runtime/internal-port.ts';
import { settings } from '../../runtime/settings.ts';
import { dial } from './screen.ts';

/**
 * If a path is inside the working directory, returns it relative to this directory. Otherwise returns the absolute
 * path.
 */
export function shortPath(path: string): string {
  const inside = relative('', path);
  return inside.startsWith('..') || isAbsolute(inside) ? resolve(path) : `./${inside}`;
}

/** Names of the settings with the addresses at which `gsq` commands call the processes of the service. */
const CALLED = [
  'GSQ_INTERNAL_ADDR',
  'GSQ_GATEWAY_OPS_ADDR',
  'GSQ_CORE_OPS_ADDR',
  'GSQ_PROBER_OPS_ADDR',
  'GSQ_NOTIFIER_OPS_ADDR',
] as const;
/** Names of the settings that contain paths of files which `gsq` commands read. */
const FILES = [
  'GSQ_INTERNAL_SECRET_FILE',
  'GSQ_INTERNAL_TLS_CERT',
  'GSQ_INTERNAL_TLS_KEY',
  'GSQ_INTERNAL_TLS_CA',
] as const;

/**
 * Returns the settings that a `gsq` command in another shell needs to find the processes of this service. Settings with
 * default values are left out.
 *
 * - `addresses`: addresses of the processes, keyed by setting, such as GSQ_INTERNAL_ADDR.
 * - `dataDirectory`: undefined if the data directory is temporary.
 * - `given`: the settings of this service. The paths of its secret file and TLS files come from here.
 */
export function changedSettings(
  addresses: Readonly<Record<string, string>>,
  dataDirectory: string | undefined,
  given: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const name of CALLED) {
    const address = dial(addresses[name]);
    if (address !== '' && address !== settings[name].default) changed[name] = address;
  }
  // Writes absolute paths, because the user can run the printed commands in a different directory.
  if (dataDirectory !== undefined && resolve(dataDirectory) !== resolve(settings.GSQ_DATA_DIR.default))
    changed.GSQ_DATA_DIR = resolve(dataDirectory);
  for (const name of FILES) {
    const file = given[name];
    // Adds the setting of each secret file or TLS file to the result. Leaves out the secret file of the default data
    // directory, because `gsq` commands find this file without a setting.
    if (file && resolve(file) !== resolve(internalSecretPath(settings.GSQ_DATA_DIR.default)))
      changed[name] = resolve(file);
  }
  return changed;
}

/** Returns where the service stores its data: the path of the data directory, or the Redis or Valkey of GSQ_STORE. */
export function dataPlace({
  GSQ_DATA_DIR: directory = settings.GSQ_DATA_DIR.default,
  GSQ_STORE: store = settings.GSQ_STORE.default,
}: Readonly<Record<string, string | undefined>>): string {
  return store === settings.GSQ_STORE.default ? shortPath(directory) : 'the Redis or Valkey of GSQ_STORE';
}

/**
 * Returns the last message of `npm start`: what happened to the stored data when the processes ended. `unfinished`:
 * names of the processes that did not finish their work.
 */
export function farewell(
  unfinished: readonly string[],
  temporary: boolean,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (temporary) return 'the data of the demo is deleted';
  const stored = `is stored in ${dataPlace(env)}`;
  if (unfinished.length === 0) return `all data ${stored}`;
  return `${unfinished.join(', ')} did not finish; what callers were told ${stored}`;
}
